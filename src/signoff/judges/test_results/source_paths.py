"""What a path says about a file: source or not, written by a program or not, which test belongs to it.

Pure. Only conventions of names are used, and no file is read.
"""

import re

from signoff.judges.test_results.report_comparison import is_test_path

_SOURCE = re.compile(
    r"\.(?:py|pyx|swift|kts?|java|scala|groovy|[cm]?[jt]sx?|vue|svelte|go|rs|rb|php|cs|fs|vb|c|cc|cpp|h|hpp|m|mm|"
    r"dart|exs?|lua|sh|sql)$"
)
_NO_SOURCE = re.compile(
    r"\.d\.[cm]?ts$|\.stories\.[jt]sx?$|\.config\.[cm]?[jt]s$|(?:^|/)setup\.py$|\.gradle\.kts$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|dist|build|out|target|Pods|Carthage|DerivedData|__generated__|"
    r"generated|\.next|__snapshots__)/"
    r"|\.min\.(?:js|css)$|\.map$|\.snap$|\.lock(?:b|file)?$|[._]generated\.|\.g\.dart$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$"
    r"|(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|go\.sum|Package\.resolved|"
    r"packages\.lock\.json|project\.pbxproj)$"
)
_TEST_WORDS = re.compile(r"^(?:test[_-]?)|(?:[._-]?(?:tests?|spec|testcase|it))$", re.IGNORECASE)


def is_generated(path: str) -> bool:
    """Check whether a program writes this file: lock files, bundles, compiled output."""
    return _GENERATED.search(path) is not None


def is_source(path: str) -> bool:
    """Check whether this is code that a person wrote and that is not a test."""
    return bool(
        _SOURCE.search(path)
        and not _NO_SOURCE.search(path)
        and not is_test_path(path)
        and not is_generated(path)
    )


def stem(path: str) -> str:
    """Return the name without folders and endings: `src/a/Foo.d.ts` is Foo."""
    name = path.rpartition("/")[2]
    return name.partition(".")[0] or name


def subject(test_path: str) -> str:
    """Return what a test file is named after, in lower case: `test_foo.py`, `FooTests.swift`."""
    name = test_path.rpartition("/")[2]
    parts = [part for part in name.split(".") if part.lower() not in ("test", "tests", "spec")]
    base = parts[0] if parts else ""
    return _TEST_WORDS.sub("", base).replace("_", "").replace("-", "").lower()


def is_paired(path: str, subjects: frozenset[str]) -> bool:
    """Check whether this file is the subject of a test file. `index` and `__init__` go by their folder."""
    name = stem(path)
    if name in ("index", "__init__", "mod", "main") and "/" in path:
        folder = path.split("/")[-2]
        return bool({_plain(folder), _plain(name)} & subjects)
    return _plain(name) in subjects


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
