"""What a run answers, readable in terminals and notebooks."""
from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    import onnx

_MOST_ROWS = 50


class Facts(dict[str, Any]):
    """A part of a result: a dict whose keys are attributes, too, unless a dict has an attribute of that name (`items`)."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"no '{name}'; there are: {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


class Result(Mapping[str, Any]):
    """The object that `preon VERB --json` prints, by attribute or by key at any depth: `result.compare.outputs["y"].sqnr_db`; its repr is the summary that the verb prints.

    facts  that object, as a dict; results with the same are equal
    text   the summary
    model  onnx.ModelProto, where a model was made and no path was given; else None
    """

    def __init__(self, facts: dict[str, Any], text: str, model: Optional[onnx.ModelProto] = None) -> None:
        self.facts, self.text, self.model = facts, text, model

    def warn(self, text: str) -> None:
        """One more of `warnings`, in the summary too."""
        self.facts["warnings"].append(text)
        self.text += f"  warning     {text}\n"

    def __getattr__(self, name: str) -> Any:
        facts = self.__dict__.get("facts", {})
        if name in facts:
            return facts[name]
        raise AttributeError(f"no '{name}'; there are: {', '.join(facts)}")

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.facts]

    def __repr__(self) -> str:
        return self.text or json.dumps(self.facts, indent=1)

    def _repr_html_(self) -> str:
        tables = "".join(_table(name, value) for name, value in _tables(self.facts))
        return f"<pre>{html.escape(repr(self))}</pre>{tables}"


def _tables(facts, prefix=""):
    """What is a list or dict of objects of the same kind, at any depth: (name, rows by name)."""
    for name, value in facts.items():
        rows = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        if rows and all(isinstance(row, dict) and not all(isinstance(cell, dict) for cell in row.values()) for row in rows.values()):
            yield prefix + name, {key: {column: cell for column, cell in row.items() if not isinstance(cell, dict)} for key, row in rows.items()}
        elif isinstance(value, dict):
            yield from _tables(value, f"{prefix}{name}.")


def _table(name, rows):
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    head = "".join(f"<th>{html.escape(str(column))}</th>" for column in ("", *columns))
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(cell))}</td>" for cell in (key, *(row.get(c, "") for c in columns))) + "</tr>"
                   for key, row in list(rows.items())[:_MOST_ROWS])
    more = f"<p>… {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"<details><summary>{html.escape(name)} ({len(rows)})</summary><table><tr>{head}</tr>{body}</table>{more}</details>"


def _cell(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
