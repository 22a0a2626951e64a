"""From what the script wants to the tools an agent offers, by the names of both and their parts. Pure."""

import posixpath
import shlex
from collections.abc import Mapping, Sequence

import msgspec

from scripted_models.exchange import Call, Property, Schema, Tool
from scripted_models.steps import Edit, Mangled, Read, Shell, Step, Unheard, Write

_WRITE = ("write", "write_file", "create", "create_file", "developer__write")
_EDIT = ("edit", "replace", "str_replace", "edit_file", "developer__edit")
_READ = ("read", "read_file", "view", "developer__read")
_SHELL = (
    "bash",
    "shell",
    "exec_command",
    "shell_command",
    "run_shell_command",
    "run_terminal_cmd",
    "developer__shell",
)
_PATCH = ("apply_patch",)
_SLOTS: Mapping[str, tuple[str, ...]] = {
    "path": ("file_path", "filePath", "absolute_path", "path", "filename"),
    "content": ("content", "file_text", "contents", "text"),
    "old": ("old_string", "oldString", "old_str", "before"),
    "new": ("new_string", "newString", "new_str", "after"),
    "command": ("command", "cmd"),
}
_SLOT_OF = {name: slot for slot, names in _SLOTS.items() for name in names}


def call(step: Step, tools: Sequence[Tool], folder: str, id: str) -> Call:  # noqa: A002
    """Give the use of an offered tool that does `step`.

    An agent without a fitting tool gets the shell; one without a shell hears of a tool it never offered, and
    what it makes of that is its own affair.
    """
    match step:
        case Unheard(name=name):
            return Call(id, Tool(name, Schema()), "{}")
        case Mangled(arguments=arguments):
            return Call(id, _find(_SHELL, tools) or Tool("bash", Schema()), arguments)
        case Shell(command=command):
            return _shell(command, tools, id)
        case Write(path=path, content=content):
            if tool := _find(_WRITE, tools):
                return _fill(tool, {"path": _place(folder, path), "content": content}, id)
            if tool := _find(_PATCH, tools):
                added = "".join(f"+{line}\n" for line in content.splitlines())
                return _patch(tool, f"*** Add File: {path}\n{added}", id)
            return _shell(f"printf %s {shlex.quote(content)} > {shlex.quote(path)}", tools, id)
        case Edit(path=path, old=old, new=new):
            if tool := _find(_EDIT, tools):
                return _fill(tool, {"path": _place(folder, path), "old": old, "new": new}, id)
            if tool := _find(_PATCH, tools):
                gone = "".join(f"-{line}\n" for line in old.splitlines())
                come = "".join(f"+{line}\n" for line in new.splitlines())
                return _patch(tool, f"*** Update File: {path}\n@@\n{gone}{come}", id)
            program = (
                f"import sys;p={path!r};t=open(p).read();open(p,'w').write(t.replace({old!r},{new!r},1))"
            )
            return _shell(f"python3 -c {shlex.quote(program)}", tools, id)
        case Read(path=path):
            if tool := _find(_READ, tools):
                return _fill(tool, {"path": _place(folder, path)}, id)
            return _shell(f"cat {shlex.quote(path)}", tools, id)
        case _:
            raise TypeError(step)


def _find(names: tuple[str, ...], tools: Sequence[Tool]) -> Tool | None:
    by_name = {tool.name.lower(): tool for tool in reversed(tools)}
    return next((by_name[name] for name in names if name in by_name), None)


def _place(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if folder else path


def _shell(command: str, tools: Sequence[Tool], id: str) -> Call:  # noqa: A002
    tool = _find(_SHELL, tools)
    if tool is None:
        return Call(id, Tool("bash", Schema()), msgspec.json.encode({"command": command}).decode())
    return _fill(tool, {"command": command}, id)


def _patch(tool: Tool, body: str, id: str) -> Call:  # noqa: A002
    patch = f"*** Begin Patch\n{body}*** End Patch\n"
    if tool.is_freeform:
        return Call(id, tool, patch)
    named = next(iter(tool.schema.required), "input")
    return Call(id, tool, msgspec.json.encode({named: patch}).decode())


def _fill(tool: Tool, wanted: Mapping[str, str], id: str) -> Call:  # noqa: A002
    filled: dict[str, object] = {}
    for name, slot in tool.schema.properties.items():
        value = wanted.get(_SLOT_OF.get(name, ""))
        if value is not None:
            filled[name] = ["bash", "-lc", value] if slot.type == "array" else value
        elif name in tool.schema.required:
            filled[name] = _anything(slot)
    return Call(id, tool, msgspec.json.encode(filled).decode())


def _anything(slot: Property) -> object:
    if slot.enum:
        return slot.enum[0]
    kind = slot.type if isinstance(slot.type, str) else slot.type[0]
    blanks: Mapping[str, object] = {"boolean": False, "number": 1, "integer": 1, "array": [], "object": {}}
    return blanks.get(kind, "as scripted")
