"""What every test relies on."""

import os

from hypothesis import settings

# The same examples every time, so that a red run can be seen again; SIGNOFF_EXPLORE=1 looks for new ones. How
# long an example takes is the machine's affair: figures belong into bench/, never into an assertion.
EXPLORES = "SIGNOFF_EXPLORE" in os.environ
settings.register_profile(
    "house", deadline=None, derandomize=not EXPLORES, max_examples=100 if EXPLORES else 50
)
settings.load_profile("house")
