"""The verdict of a calibration cycle: whether one change of one lever helped without harm elsewhere.

Pure; `signoff calibrate verdict` calls it. Numbers are taken from the text of the file as fractions, because
0.15 - 0.10 is above 0.05 in binary and equal to it on paper: at the floor, a float decides by accident.

    revert             a benchmark fell by more than the floor, or the council blocks and none rose by more
    ship               the council approves, one benchmark rose by more than the floor, all were measured
    iterate            anything else, while there are iterations left
    halt-iterate-cap   anything else, when there are none
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from signoff.contracts.files.document_files import has_errors
from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.violation_list import Findings, below, fault, shown

NOISE_FLOOR: Final = Fraction(1, 20)
ITERATE_CAP: Final = 3

_DIGITS: Final = 40
_EXPONENT: Final = 40
_NUMBER: Final = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_KNOWN: Final = (
    *("recall_before", "recall_after", "council", "iteration", "iterate_cap", "noise_floor"),
    *("bugs_before", "bugs_after"),
)


class Council(StrEnum):
    """The vote of the people or models who looked at the change."""

    SHIP = "ship"
    BLOCK = "block"
    ITERATE = "iterate"


class CycleVerdict(StrEnum):
    """What becomes of the change."""

    SHIP = "ship"
    REVERT = "revert"
    ITERATE = "iterate"
    HALT = "halt-iterate-cap"


class CalibrationCycle(NamedTuple):
    """What was measured before and after the change. The recall of a benchmark is None if it has none."""

    before: Mapping[str, Fraction | None]
    after: Mapping[str, Fraction | None]
    council: Council
    iteration: int = 1
    iterate_cap: int = ITERATE_CAP
    noise_floor: Fraction = NOISE_FLOOR
    bugs_before: Mapping[str, tuple[str, ...]] = {}
    bugs_after: Mapping[str, tuple[str, ...]] = {}


class CycleJudged(NamedTuple):
    """The verdict, and the facts it follows from."""

    verdict: CycleVerdict
    clean: bool
    """Every benchmark was measured twice, and none fell by more than the floor."""
    regressions: tuple[str, ...]
    """`benchmark/bug` for each bug that a fallen benchmark lost, or its name alone if its bugs are not known.
    """
    delta: Mapping[str, Fraction | None]
    lost: Mapping[str, tuple[str, ...]]
    """Bugs that were found before and not after, also where the benchmark did not fall."""


class CycleReading(NamedTuple):
    """A file that was read. The cycle is None if the file does not state what was measured."""

    cycle: CalibrationCycle | None
    violations: tuple[Violation, ...]


def judge_cycle(cycle: CalibrationCycle) -> CycleJudged:
    """Return the verdict. A benchmark without both recalls is not clean, because it may have fallen.

    A fall beyond the noise floor decides first, whatever the council votes. To ship takes the council, a rise
    and a clean measurement. Everything else is another iteration, up to the cap.
    """
    names = tuple(dict.fromkeys((*cycle.before, *cycle.after)))
    delta = {name: _difference(cycle.before.get(name), cycle.after.get(name)) for name in names}
    measured = [change for change in delta.values() if change is not None]
    fallen = tuple(
        name for name, change in delta.items() if change is not None and change < -cycle.noise_floor
    )
    has_risen = any(change > cycle.noise_floor for change in measured)
    is_clean = not fallen and len(measured) == len(names)
    lost = {name: bugs for name in names if (bugs := _lost(cycle, name))}
    if fallen or (cycle.council is Council.BLOCK and not has_risen):
        verdict = CycleVerdict.REVERT
    elif cycle.council is Council.SHIP and has_risen and is_clean:
        verdict = CycleVerdict.SHIP
    else:
        verdict = CycleVerdict.ITERATE if cycle.iteration < cycle.iterate_cap else CycleVerdict.HALT
    pairs = (f"{name}/{bug}" if bug else name for name in fallen for bug in lost.get(name, ("",)))
    return CycleJudged(verdict, is_clean, tuple(pairs), delta, lost)


def _difference(before: Fraction | None, after: Fraction | None) -> Fraction | None:
    return None if before is None or after is None else after - before


def _lost(cycle: CalibrationCycle, name: str) -> tuple[str, ...]:
    found = frozenset(cycle.bugs_after.get(name, ()))
    if name not in cycle.bugs_after:
        return ()
    return tuple(bug for bug in dict.fromkeys(cycle.bugs_before.get(name, ())) if bug not in found)


def as_decimal(number: Fraction | None) -> str | None:
    """Return a difference of decimals as an exact decimal."""
    if number is None:
        return None
    places = 0
    while number * 10**places % 1:
        places += 1
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


# --- reading ---


class _Number(NamedTuple):
    """A number as it is written."""

    text: str


def read_cycle(data: bytes) -> CycleReading:
    """Read the measurements of a cycle, without raising on any bytes."""
    text, parsed, before = read_json(data)
    if text is None or has_errors(before):
        return CycleReading(None, tuple(located(before, text)) if text else before)
    if not isinstance(parsed, dict):
        wrong = fault(DecodeCode.WRONG_TYPE, "must be an object", fix="write a JSON object")
        return CycleReading(None, (*before, wrong))
    exact = json.loads(text, parse_float=_Number, parse_int=_Number)
    reader = _CycleReader(exact, Findings(before))
    cycle = reader.cycle()
    violations = tuple(located(reader.found.all(), text))
    return CycleReading(None if reader.found.has_errors else cycle, violations)


class _CycleReader:
    """One pass over the fields of a document, which collects what is wrong with them."""

    def __init__(self, document: dict[str, object], found: Findings) -> None:
        self.document = document
        self.found = found

    def cycle(self) -> CalibrationCycle:
        for name in [one for one in self.document if one not in _KNOWN]:
            message, path = f"{shown(name)} is not a field of a cycle", below("", name)
            unknown = fault(
                DecodeCode.UNKNOWN_FIELD, message, path, fix="remove it", severity=Severity.WARNING
            )
            self.found.add(unknown)
        before, after = self._recalls("recall_before"), self._recalls("recall_after")
        if not self.found.has_errors and not {*before, *after}:
            message = "no benchmark was measured"
            self._wrong(DecodeCode.WRONG_LENGTH, "/recall_before", message, "name one at least")
        return CalibrationCycle(
            before=before,
            after=after,
            council=self._council(),
            iteration=self._count("iteration", 1),
            iterate_cap=self._count("iterate_cap", ITERATE_CAP),
            noise_floor=self._floor(),
            bugs_before=self._bugs("bugs_before"),
            bugs_after=self._bugs("bugs_after"),
        )

    def _recalls(self, name: str) -> dict[str, Fraction | None]:
        items = self._object(name, is_required=True)
        return {
            key: self._fraction(below("", name, key), item, is_nullable=True) for key, item in items.items()
        }

    def _council(self) -> Council:
        council = self.document.get("council")
        if isinstance(council, str) and council in list(Council):
            return Council(council)
        code = DecodeCode.UNKNOWN_VALUE if "council" in self.document else DecodeCode.MISSING_FIELD
        self._wrong(code, "/council", "`council` must be ship, block or iterate", "write one of them")
        return Council.BLOCK

    def _count(self, name: str, default: int) -> int:
        if name not in self.document:
            return default
        value = self.document[name]
        if isinstance(value, _Number) and re.fullmatch(r"[0-9]{1,9}", value.text) and int(value.text) > 0:
            return int(value.text)
        message = f"`{name}` must be a whole number from 1"
        self._wrong(DecodeCode.OUT_OF_RANGE, f"/{name}", message, "count from 1")
        return default

    def _floor(self) -> Fraction:
        if "noise_floor" not in self.document:
            return NOISE_FLOOR
        floor = self._fraction("/noise_floor", self.document["noise_floor"])
        return NOISE_FLOOR if floor is None else floor

    def _fraction(self, path: str, value: object, *, is_nullable: bool = False) -> Fraction | None:
        if value is None and is_nullable:
            return None
        if not isinstance(value, _Number):
            self._wrong(DecodeCode.WRONG_TYPE, path, "must be a number", "write a number")
            return None
        number = _exactly(value.text)
        if number is None:
            message = f"{shown(value.text)} has more than {_DIGITS} digits, or an exponent above {_EXPONENT}"
            self._wrong(DecodeCode.OUT_OF_RANGE, path, message, "round it")
        elif not 0 <= number <= 1:
            message = f"{shown(value.text)} is not between 0 and 1"
            self._wrong(DecodeCode.OUT_OF_RANGE, path, message, "write a share")
        return number

    def _bugs(self, name: str) -> dict[str, tuple[str, ...]]:
        bugs: dict[str, tuple[str, ...]] = {}
        for key, item in self._object(name, is_required=False).items():
            if isinstance(item, list) and all(isinstance(bug, str) for bug in item):
                bugs[key] = tuple(item)
            else:
                path = below("", name, key)
                self._wrong(DecodeCode.WRONG_TYPE, path, "must be a list of ids", "list the bugs")
        return bugs

    def _object(self, name: str, *, is_required: bool) -> dict[str, object]:
        value = self.document.get(name)
        if isinstance(value, dict):
            return value
        if value is None and not is_required:
            return {}
        code = DecodeCode.WRONG_TYPE if name in self.document else DecodeCode.MISSING_FIELD
        self._wrong(code, f"/{name}", f"`{name}` must be an object", "one entry per benchmark")
        return {}

    def _wrong(self, code: DecodeCode, path: str, message: str, fix: str) -> None:
        self.found.add(fault(code, message, path, fix=fix))


def _exactly(text: str) -> Fraction | None:
    """Return a JSON number as it is written, None if writing it out would take too much room."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    whole, decimals, exponent = found[1], found[2] or "", found[3] or "0"
    if len(whole + decimals) > _DIGITS or len(exponent) > 4 or abs(int(exponent)) > _EXPONENT:
        return None
    return Fraction(text)
