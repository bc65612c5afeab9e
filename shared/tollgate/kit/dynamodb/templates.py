"""Updates of the hot path that differ only in their table, key and values: their text is rendered once. Pure.

    COUNT = Template(
        ("id",), Add("spent", Slot("amount")), condition=AtMost("spent", Slot("most"))
    )
    filled(COUNT, "Budgets", {"id": "b", "amount": 5, "most": 95}, refused)

Filling a template in takes a fifth of the time that the same write takes from its parts.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Any

from tollgate.kit.dynamodb.expressions import Change, Condition, Placeholders, Slot, render_update
from tollgate.kit.dynamodb.rows import to_attribute
from tollgate.kit.dynamodb.writes import Foresees, Refused, TransactWrite, unexpected
from tollgate.kit.encoded_json import encode


class _Slots(Placeholders):
    """Placeholders whose values are JSON texts, with a directive of `%` for each slot."""

    __slots__ = ("texts",)

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        """The slots that take a text."""

    def value(self, plain: Any) -> str:
        """Return the placeholder of a slot or of a fixed value."""
        placeholder = f":v{len(self.values)}"
        if isinstance(plain, Slot):
            self.values[placeholder] = self.slot(plain)
        else:
            self.values[placeholder] = encode(to_attribute(plain)).replace("%", "%%")
        return placeholder

    def slot(self, slot: Slot) -> str:
        """Return the typed form of a slot."""
        if not slot.is_text:
            return f'{{"N":"%({slot.name})d"}}'
        self.texts.append(slot.name)
        return f'{{"S":%({slot.name})s}}'


class Template:
    """An update with slots instead of its values. The attributes of its `key` are slots for texts."""

    def __init__(self, key: tuple[str, ...], *update: Change, condition: Condition | None = None) -> None:
        to = _Slots()
        parts = {"UpdateExpression": render_update(update, to)}
        if condition is not None:
            parts["ConditionExpression"] = condition.render(to)
            parts["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        constant = encode({**parts, "ExpressionAttributeNames": to.names})[1:-1].replace("%", "%%")
        keys = ",".join(f'"{name}":{to.slot(Slot(name, is_text=True))}' for name in key)
        values = ",".join(f'"{name}":{text}' for name, text in to.values.items())
        self.key = key
        self._texts = to.texts
        self._text = (
            f'{{"TableName":%(table)s,"Key":{{{keys}}},{constant},"ExpressionAttributeValues":{{{values}}}}}'
        )

    def text(self, table: str, values: Mapping[str, Any]) -> str:
        """Return the update in DynamoDB's form, as JSON."""
        filled = {**values, "table": encode_basestring_ascii(table)}
        for name in self._texts:
            filled[name] = encode_basestring_ascii(filled[name])
        return self._text % filled


@dataclass(frozen=True, slots=True)
class FilledWrite(TransactWrite):
    """A write from a template. It adds to numbers without a mark, so only a transaction may carry it."""

    template: Template = field(kw_only=True)
    values: Mapping[str, str | int] = field(kw_only=True)

    def text(self) -> str:
        """Return the write in DynamoDB's form, as JSON."""
        return self.template.text(self.table, self.values)

    def request(self) -> dict[str, Any]:
        """Return the same, decoded."""
        found: dict[str, Any] = json.loads(self.text())
        return found


def filled(
    template: Template,
    table: str,
    values: Mapping[str, str | int],
    refused: Refused = unexpected,
    foresees: Foresees | None = None,
) -> FilledWrite:
    """Return the write from a template with these values of its slots, including its key."""
    key = {name: values[name] for name in template.key}
    return FilledWrite(table, key=key, refused=refused, foresees=foresees, template=template, values=values)
