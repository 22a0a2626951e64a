"""A stand-in for Claude Code: a program called `claude` that speaks its line format and does the tiny ticket.

What it does is in a file beside it, one word a call: `work`, or a way to fail. It lets a whole run go through
the real backend without a model. It may be in a box, so all that it leaves behind is in its own home; it
finds out which call this is by looking at those of the others.
"""

import json
import sys

from clibench import PATH, Bench, plan

PROGRAM = """#!{python}
import glob, json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
home = os.environ["HOME"]
prompt = sys.stdin.read()
mine = "call-%020d-%d" % (time.time_ns(), os.getpid())
with open(home + "/" + mine, "w") as file:
    json.dump(dict(prompt=prompt, argv=sys.argv[1:], env=sorted(os.environ)), file)
time.sleep(0.01)  # whoever called before has written its own by now
calls = [os.path.basename(path) for path in glob.glob(os.path.dirname(home) + "/../../*/logs/*.home/call-*")]
with open(here + "/moods") as file:
    after, *moods = file.read().split()
number = sorted(calls).index(mine) - int(after)
mood = moods[number] if number < len(moods) else "work"

def say(**line):
    print(json.dumps(line), flush=True)

def finish(text="", **more):
    usage = dict(input_tokens=1200, output_tokens=50, cache_read_input_tokens=200)
    say(**dict(dict(type="result", subtype="success", is_error=False, result=text, num_turns=1,
        total_cost_usd=0.01, usage=usage, permission_denials=[], session_id="s"), **more))

say(type="system", subtype="init", session_id="s", model="model-x", cwd=os.getcwd(), tools=[],
    claude_code_version="2.1.325", permissionMode="acceptEdits")
if mood == "auth":
    finish("Invalid API key", is_error=True, api_error_status=401, terminal_reason="api_error")
    sys.exit(1)
if mood == "limit":
    finish("429 rate limited, retry after 0 seconds", is_error=True, api_error_status=429,
        terminal_reason="api_error")
    sys.exit(1)
if mood == "mute":
    sys.exit(0)
if mood == "freeze":
    time.sleep(600)
if mood == "reach-out":
    place = os.getcwd().split("/.signoff/")[0] + "/taken.txt"
    say(type="assistant", message=dict(content=[dict(type="tool_use", id="t0", name="Write",
        input=dict(file_path=place))]))
    say(type="user", message=dict(content=[dict(type="tool_result", tool_use_id="t0", content="denied",
        is_error=True)]))
if "# Your role: planner" in prompt:
    with open(here + "/plan.json") as file:
        answer = json.load(file)
else:
    payload = json.loads(prompt.rsplit("```json\\n", 1)[1].split("\\n```", 1)[0])
    name = payload["task"]["files_create"][0]
    say(type="assistant", message=dict(content=[dict(type="tool_use", id="t1", name="Write",
        input=dict(file_path=name))]))
    with open(name, "w") as file:
        file.write(name.split(".")[0])
    say(type="user", message=dict(content=[dict(type="tool_result", tool_use_id="t1", content="ok")]))
    answer = dict(kind="done", summary="All tests pass!")
text = "Here it is.\\n```json\\n" + json.dumps(answer) + "\\n```"
say(type="assistant", message=dict(content=[dict(type="text", text=text)]))
finish(text)
"""


class Desk(Bench):
    """A repository on a machine where `claude` is the stand-in."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench.root, bench.home)
        self.bin = bench.root.parent / "bin"
        self.bin.mkdir()
        program = self.bin / "claude"
        (self.bin / "standin.py").write_text(PROGRAM)
        asked = '[ "$1" = --version ] && echo "2.1.325 (Claude Code)" && exit\n'
        # Not by the first line of the script: the interpreter's path may hold a blank.
        program.write_text(f'#!/bin/sh\n{asked}exec "{sys.executable}" "{self.bin}/standin.py" "$@"\n')
        program.chmod(0o755)
        (self.bin / "plan.json").write_text(json.dumps(plan()))
        self.moods()

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "PATH": f"{self.bin}:{PATH}", "ANTHROPIC_API_KEY": "sk-ant-nobody-0123456789"}

    def moods(self, *words: str) -> None:
        """Say how the next calls go; after these it works."""
        (self.bin / "moods").write_text(" ".join((str(len(self.calls)), *words)))

    @property
    def calls(self) -> list[dict[str, object]]:
        """What it was told, call by call."""
        found = self.root.glob(".signoff/runs/*/logs/*.home/call-*")
        return [json.loads(path.read_text()) for path in sorted(found, key=lambda path: path.name)]
