"""IronCalc: the engine that decides. Fed cell by cell, so that nothing of the file but its cells reaches it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from docops.core.errors import EngineUnavailable
from docops.formats.xlsx.recalc.arrays import rewrite
from docops.formats.xlsx.recalc.cone import Cone
from docops.formats.xlsx.recalc.functions import SPILLING
from docops.formats.xlsx.recalc.source import CellError, CellValue, Place
from docops.formats.xlsx.references import function_name, tokenise

if TYPE_CHECKING:
    from ironcalc import Model

NAME = "ironcalc"
VERSION = "0.9.1"

#: Answers that say "I cannot" and not what Excel would show.
_REFUSALS = frozenset({"#ERROR!", "#N/IMPL!", "#N/IMPL"})


class EngineFault(Exception):
    """The engine broke down on these cells; the message says how."""


def load() -> Any:
    """The engine's module.

    Raises EngineUnavailable where it is not installed, or in another version than the pinned one.
    """
    return load_engine(NAME, VERSION)


@lru_cache(maxsize=8)
def load_engine(name: str, version: str) -> Any:
    """Import a calculation engine at exactly one version; EngineUnavailable says how to install it."""
    import importlib
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    advice = f"install it with: pip install {name}=={version}"
    try:
        installed = installed_version(name)
    except PackageNotFoundError as error:
        raise EngineUnavailable(f"the calculation engine {name} is not installed; {advice}") from error
    if installed != version:
        raise EngineUnavailable(f"the calculation engine {name} is installed as {installed}, but verdicts need {version}; {advice}")
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EngineUnavailable(f"the calculation engine {name} cannot be imported ({error}); {advice}") from error


class Calculation:
    """A cone loaded into the engine and calculated; constants can be changed and calculated again."""

    def __init__(self, cone: Cone) -> None:
        self.cone = cone
        self._sheets: dict[int, int] = {}
        self._one_cell: set[Place] = set()
        self._changed = False
        module = load()
        self._model: Model = _guarded(module.create, "book", "en", "UTC", "en")
        self._fill()
        _guarded(self._model.evaluate)
        self._intersect()

    def _fill(self) -> None:
        cone, model = self.cone, self._model
        names = cone.source.sheet_names
        used = sorted(
            {place.sheet for place in (*cone.inputs, *cone.formulas)} | {sheet for cell in cone.formulas.values() for sheet, _ in cell.expanded.areas}
        )
        if cone.dynamic:
            used = list(range(len(names)))
        for position, sheet in enumerate(used):
            if position == 0:
                _guarded(model.rename_sheet, 0, names[sheet])
            else:
                _guarded(model.add_sheet, names[sheet])
            self._sheets[sheet] = position
        for place, value in cone.inputs.items():
            self._put(place, value)
        for place in cone.formulas:
            self._put_formula(place)

    def _put_formula(self, place: Place) -> None:
        cell = self.cone.formulas[place]
        at = (self._sheets[place.sheet], place.row, place.column)
        # What no engine can calculate stands as #N/A; its dependents are reported by the cone, never by this value.
        rewritten = rewrite(cell.expanded.text)
        formula = rewritten.single if rewritten.single and cell.array is None else rewritten.text
        if cell.digits is not None:
            formula = f"LET(docops_r_,{formula},IF(ISNUMBER(docops_r_),ROUND(docops_r_,{cell.digits}),docops_r_))"
        text = "=#N/A" if place in self.cone.problems else f"=@({formula})" if place in self._one_cell else f"={formula}"
        if cell.array is not None and not cell.array.is_cell and not is_dynamic(cell.expanded.text):
            area = cell.array
            width, height = area.last_column - area.first_column + 1, area.last_row - area.first_row + 1
            _guarded(self._model.set_user_array_formula, *at, width, height, text)
        else:
            _guarded(self._model.update_cell_with_formula, *at, text)

    def _intersect(self) -> None:
        """Formulas that the file does not mark as arrays take one cell of a range (implicit intersection), they do not spill."""
        for place, cell in self.cone.formulas.items():
            if cell.array is None and not is_dynamic(cell.expanded.text):
                at = (self._sheets[place.sheet], place.row, place.column)
                if _guarded(self._model.get_cell_value, *at) == "#SPILL!":
                    self._one_cell.add(place)
        for place in self._one_cell:
            self._put_formula(place)
        if self._one_cell:
            _guarded(self._model.evaluate)

    def _put(self, place: Place, value: CellValue) -> None:
        at = (self._sheets[place.sheet], place.row, place.column)
        model = self._model
        if value is None:
            _guarded(model.clear_cell_contents, *at)
        elif isinstance(value, bool):
            _guarded(model.update_cell_with_bool, *at, value)
        elif isinstance(value, float):
            _guarded(model.update_cell_with_number, *at, value)
        elif isinstance(value, CellError):
            _guarded(model.update_cell_with_formula, *at, f"={value.code}")
        elif value == "":
            _guarded(model.update_cell_with_formula, *at, '=""')
        else:
            _guarded(model.update_cell_with_text, *at, value)

    def value(self, place: Place) -> CellValue:
        """What a cell shows. Raises EngineFault where the engine gives no answer."""
        sheet = self._sheets.get(place.sheet)
        if sheet is None:
            return None
        if self._changed:
            self._changed = False
            _guarded(self._model.evaluate)
        value = _guarded(self._model.get_cell_value, sheet, place.row, place.column)
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int):
            return float(value)
        text = str(value)
        if text.startswith("#") and str(_guarded(self._model.get_cell_type, sheet, place.row, place.column)) == "CellType.ErrorValue":
            if text in _REFUSALS:
                raise EngineFault(f"{NAME} does not understand the formula")
            return CellError(text)
        return text

    def calculate(self, changes: Mapping[Place, CellValue], wanted: Iterable[Place]) -> list[CellValue]:
        """The values of some cells with others changed to constants; afterwards everything is as before."""
        try:
            for place, value in changes.items():
                if place.sheet in self._sheets:
                    self._put(place, value)
            self._changed = True
            return [self.value(place) for place in wanted]
        finally:
            for place in changes:
                if place in self.cone.formulas:
                    self._put_formula(place)
                elif place.sheet in self._sheets:
                    self._put(place, self.cone.inputs.get(place))
            self._changed = True


def is_dynamic(text: str) -> bool:
    """Whether a formula of an array range sizes its own result, as the dynamic-array functions do."""
    head = tokenise(text)
    return bool(head) and function_name(head[0].text) in SPILLING


def _guarded(function: Any, *arguments: Any) -> Any:
    """Call the engine; whatever it raises becomes EngineFault, panics of its native code included."""
    try:
        return function(*arguments)
    except Exception as error:
        raise EngineFault(f"{NAME}: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise EngineFault(f"{NAME} broke down: {error}") from error
