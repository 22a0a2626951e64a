"""Where a pinned delivery is played: its base in a throwaway repository."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.domain.run.pinned_deliveries import DeliveryPack
from signoff.engine.run.kit import Kit
from signoff.host.git.bundles import lay_out_bundle
from signoff.wiring import build, scrubbed_environment


@contextmanager
def rehearsal(pack: DeliveryPack) -> Iterator[Kit]:
    """Lay out the base of a pack, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="signoff-rehearsal-", ignore_cleanup_errors=True) as folder:
        root = os.path.join(os.path.realpath(folder), "project")
        os.mkdir(root)
        lay_out_bundle(pack.bundle, pack.about.base_tree, root, scrubbed_environment())
        yield build(root)
