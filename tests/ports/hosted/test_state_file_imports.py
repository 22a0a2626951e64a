"""Reading a sound state file loads nothing that only a faulty one needs."""

import subprocess
import sys


def test_a_sound_file_loads_nothing_that_only_a_faulty_one_needs() -> None:
    code = """
import sys
from signoff.hosted.state_file.state_file_format import read_state, write_state
write_state(read_state(b'{"version": 1, "input": {"kind": "ticket", "data": {}}}').value)
heavy = {"type_walk", "json_lines", "decode", "work_slices", "difflib", "subprocess", "pathlib", "asyncio"}
print(sorted(heavy & {name.rpartition(".")[2] for name in sys.modules}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
