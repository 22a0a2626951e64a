"""Manifests that are XML: Maven's and .NET's.

Pure. A document type is refused: its entities can be made to grow without bounds.
"""

import re
from collections.abc import Iterator
from xml.parsers import expat

from signoff.judges.scope.manifests.dependency_records import (
    VERSIONS,
    Dependencies,
    Dependency,
    OddManifestError,
    gathered,
)
from signoff.text.word_lists import words

_MAVEN = frozenset({"dependency", "plugin", "parent", "extension"})
_NET = words(
    "PackageReference PackageVersion GlobalPackageReference DotNetCliToolReference Reference package Sdk"
)
_DEEPEST = 100


class Element:
    """One element with what is in it. Namespaces are dropped."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag.rpartition(":")[2]
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""

    def child(self, tag: str) -> str:
        """Return the text of a child, empty if it is missing."""
        return next((part.text.strip() for part in self.children if part.tag == tag), "")

    def below(self, path: str = "") -> Iterator[tuple[str, "Element"]]:
        """Yield every element with the tags above it."""
        waiting = [(path, self)]
        while waiting:
            where, one = waiting.pop()
            yield where, one
            waiting += [(f"{where}/{one.tag}", part) for part in one.children]

    def whole(self) -> str:
        """Return the element with everything in it as one text."""
        parts = [
            f"{where}/{one.tag} {sorted(one.attributes.items())} {' '.join(one.text.split())}"
            for where, one in self.below()
        ]
        return "\n".join(sorted(parts))


def read_xml(data: bytes) -> Element:
    """Read a document. One that is not XML, or declares a document type, is odd."""
    root = Element("", {})
    path = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(path) > _DEEPEST:
            raise OddManifestError("goes deeper than any manifest")
        path[-1].children.append(Element(tag, attributes))
        path.append(path[-1].children[-1])

    def end(_: str) -> None:
        path.pop()

    def text(said: str) -> None:
        path[-1].text += said

    def refuse(*_: object) -> None:
        raise OddManifestError("declares a document type")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat takes no keywords
    except (expat.ExpatError, LookupError) as error:  # the second where it names an encoding nobody has
        raise OddManifestError("is no XML") from error
    return root


def pom(data: bytes) -> Dependencies:
    """Read Maven: dependencies, plugins, extensions, the parent, and properties with their versions."""
    root = read_xml(data)
    found: list[tuple[Dependency, str]] = []
    for where, one in root.below():
        if one.tag in _MAVEN and one.child("artifactId"):
            name = f"{one.child('groupId') or 'org.apache.maven.plugins'}:{one.child('artifactId')}"
            found.append((Dependency(f"{where}/{one.tag}", name), one.whole()))
    return gathered([*found, *_versions(root, found, "/properties", r"\$\{([^}]+)\}")])


def net_project(data: bytes) -> Dependencies:
    """Read .NET: project files, their shared properties, and `packages.config`."""
    root = read_xml(data)
    found: list[tuple[Dependency, str]] = []
    for where, one in root.below():
        if one.tag in _NET:
            names = (one.attributes.get(key) for key in ("Include", "Update", "id", "Name"))
            name = next((name for name in names if name is not None), "")
            found.append((Dependency(f"{where}/{one.tag}", name.lower()), one.whole()))
    return gathered([*found, *_versions(root, found, "/PropertyGroup", r"\$\(([^)]+)\)")])


def _versions(
    root: Element, found: list[tuple[Dependency, str]], folder: str, reference: str
) -> Iterator[tuple[Dependency, str]]:
    """Yield the properties that the entries take their versions from."""
    used = {name for _, text in found for name in re.findall(reference, text)}
    for where, one in root.below():
        if where.endswith(folder) and one.tag in used:
            yield Dependency(VERSIONS, f"{where}/{one.tag}"), one.text.strip()
