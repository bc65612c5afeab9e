"""Updates of the hot path that differ only in their table, key and values: their text is rendered once. Pure.

    COUNT = Template(
        ("id",), Add("spent", Slot("amount")), condition=AtMost("spent", Slot("most"))
    )
    filled(COUNT, "Budgets", {"id": "b", "amount": 5, "most": 95}, refused)

Filling a template in takes a fifth of the time that the same write takes from its parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Any

from tollgate.kit.dynamodb.expressions import Change, Condition, Placeholders, Slot, render_update
from tollgate.kit.dynamodb.rows import Item, attribute_text
from tollgate.kit.dynamodb.writes import (
    FOUND,
    Foresees,
    Mark,
    Refused,
    SingleWrite,
    TransactWrite,
    marked,
    unexpected,
)


class _Slots(Placeholders):
    """Placeholders whose texts have a directive of `%` for each slot."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []
        """The slots that are steps of a path."""

    def quoted(self, name: str | Slot) -> str:
        """Return a name as JSON."""
        if isinstance(name, Slot):
            self.steps.append(name.name)
            return f"%({name.name})s"
        return super().quoted(name).replace("%", "%%")

    def value(self, plain: Any) -> str:
        """Return the placeholder of a slot or of a fixed value."""
        is_slot = isinstance(plain, Slot)
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = (
            f"%({plain.name})s" if is_slot else attribute_text(plain).replace("%", "%%")
        )
        return placeholder


class Template:
    """An update with slots instead of its values. The attributes of its `key` are slots."""

    def __init__(
        self,
        key: tuple[str, ...],
        *update: Change,
        condition: Condition | None = None,
        mark: Mark | None = None,
    ) -> None:
        changes: Sequence[Change] = update
        if mark is not None:
            changes, condition = marked(update, condition, mark)
        to = _Slots()
        keys = ",".join([f'"{name}":%({name})s' for name in key])
        members = [
            '"TableName":%(table)s',
            f'"Key":{{{keys}}}',
            f'"UpdateExpression":"{render_update(changes, to)}"',
        ]
        if condition is not None:
            members += [FOUND, f'"ConditionExpression":"{condition.render(to)}"']
        self.key = key
        self._text = f"{{{','.join([*members, *to.parts()])}}}"
        self._steps = to.steps

    def text(self, table: str, values: Mapping[str, Any]) -> str:
        """Return the update in DynamoDB's form, as JSON."""
        filled = {name: attribute_text(value) for name, value in values.items()}
        for name in self._steps:
            filled[name] = encode_basestring_ascii(values[name])
        filled["table"] = encode_basestring_ascii(table)
        return self._text % filled


@dataclass(frozen=True, slots=True)
class FilledWrite(TransactWrite):
    """A write from a template. It adds to numbers without a mark, so only a transaction may carry it."""

    template: Template = field(kw_only=True)
    values: Mapping[str, Any] = field(kw_only=True)

    def text(self) -> str:
        """Return the write in DynamoDB's form, as JSON."""
        return self.template.text(self.table, self.values)


@dataclass(frozen=True, slots=True)
class FilledMark(SingleWrite):
    """A write from a template that leaves or takes the `mark`, like a `MarkedWrite`."""

    template: Template = field(kw_only=True)
    values: Mapping[str, Any] = field(kw_only=True)
    mark: Mark = field(kw_only=True)

    def text(self) -> str:
        """Return the write in DynamoDB's form, as JSON."""
        return self.template.text(self.table, self.values)

    def is_done(self, found: Item) -> bool:
        """Return whether the row has the mark that this write leaves."""
        return self.mark.shows_in(found)


def filled(
    template: Template,
    table: str,
    values: Mapping[str, Any],
    refused: Refused = unexpected,
    foresees: Foresees | None = None,
) -> FilledWrite:
    """Return the write from a template with these values of its slots, including its key."""
    key = {name: values[name] for name in template.key}
    return FilledWrite(table, key=key, refused=refused, foresees=foresees, template=template, values=values)
