"""DynamoDB's tables in memory: conditions, updates and transactions, and the units that they cost.

For simulations in time that nobody waits for, where an emulator would be asked a hundred thousand times. It
knows the operations and the parts of expressions that we use, and refuses all others. `test_expressions.py`
holds it equal to an emulator that others wrote.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
"""

import marshal
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from tests.bench.cost.units import key_names, write_units

Row = dict[str, Any]
"""With typed attributes: `{"name": {"S": "…"}}`."""
Key = tuple[tuple[str, str], ...]
"""The values of a row's key, each with its type."""
Request = Mapping[str, Any]
Answer = tuple[int, dict[str, Any]]
OK, REFUSED = 200, 400

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+-]|[#:\w.\[\]]+)")


class Tables:
    """Tables by name; `definitions` are their properties as the template has them."""

    def __init__(self, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self.definitions = definitions
        self.rows: dict[str, dict[Key, Row]] = {name: {} for name in definitions}
        self.units = 0
        """Write units so far."""
        self._done: set[str] = set()
        """The tokens of transactions that were carried out; DynamoDB keeps them for ten minutes."""

    def call(self, operation: str, request: Request) -> Answer:
        """Carry out a request, as a whole or not at all; return the status and the answer."""
        name = re.sub(r"(?=[A-Z])", "_", operation).lower()
        found: Answer = getattr(self, name)(request)
        return found

    def key_of(self, kind: str, write: Request) -> tuple[str, Key]:
        """Return the table and the key of one read or write."""
        table = write["TableName"]
        names = key_names(self.definitions[table])
        source = write["Item"] if kind == "Put" else write["Key"]
        return table, tuple(next(iter(source[name].items())) for name in names)

    def row(self, where: tuple[str, Key]) -> Row | None:
        """Return a row as it is."""
        return self.rows[where[0]].get(where[1])

    def _get_item(self, request: Request) -> Answer:
        row = self.row(self.key_of("Get", request))
        return OK, {} if row is None else {"Item": _copied(row)}

    def _batch_get_item(self, request: Request) -> Answer:
        found = {
            table: [
                _copied(row)
                for key in wanted["Keys"]
                if (row := self.row(self.key_of("Get", {"TableName": table, "Key": key}))) is not None
            ]
            for table, wanted in request["RequestItems"].items()
        }
        return OK, {"Responses": found, "UnprocessedKeys": {}}

    def _transact_get_items(self, request: Request) -> Answer:
        return OK, {"Responses": [self._get_item(one["Get"])[1] for one in request["TransactItems"]]}

    def _put_item(self, request: Request) -> Answer:
        return self._one("Put", request)

    def _update_item(self, request: Request) -> Answer:
        return self._one("Update", request)

    def _one(self, kind: str, request: Request) -> Answer:
        where = self.key_of(kind, request)
        before = self.row(where)
        if not _holds(request, before):
            # A write that is refused costs what it would have.
            self._count(where, before, before, in_transaction=False)
            found = {} if before is None else {"Item": _copied(before)}
            return REFUSED, {"__type": "x#ConditionalCheckFailedException", **found}
        after = self._apply(kind, request, before)
        self._count(where, before, after, in_transaction=False)
        return OK, {"Attributes": _copied(after)} if request.get("ReturnValues") == "ALL_NEW" else {}

    def _transact_write_items(self, request: Request) -> Answer:
        token = request.get("ClientRequestToken")
        if token in self._done:
            return OK, {}
        writes = [next(iter(one.items())) for one in request["TransactItems"]]
        places = [self.key_of(kind, write) for kind, write in writes]
        assert len(set(places)) == len(places), "a transaction touches each row once"
        before = [self.row(where) for where in places]
        reasons: list[dict[str, Any]] = [
            {"Code": "None"}
            if _holds(write, row)
            else {"Code": "ConditionalCheckFailed", **({} if row is None else {"Item": _copied(row)})}
            for (_, write), row in zip(writes, before, strict=True)
        ]
        if any(reason["Code"] != "None" for reason in reasons):
            for where, row in zip(places, before, strict=True):
                self._count(where, row, row, in_transaction=True)
            return REFUSED, {"__type": "x#TransactionCanceledException", "CancellationReasons": reasons}
        for (kind, write), where, row in zip(writes, places, before, strict=True):
            self._count(where, row, self._apply(kind, write, row), in_transaction=True)
        if token is not None:
            self._done.add(token)
        return OK, {}

    def _query(self, request: Request) -> Answer:
        table = self.definitions[request["TableName"]]
        indexes = {index["IndexName"]: index for index in table.get("GlobalSecondaryIndexes", [])}
        names = key_names(indexes[request["IndexName"]] if "IndexName" in request else table)
        condition = _parsed(request["KeyConditionExpression"])
        found = [
            row
            for row in self.rows[request["TableName"]].values()
            if all(name in row for name in names) and condition(_Scope(row, request))
        ]
        found.sort(key=lambda row: [_plain(row[name]) for name in names])
        if not request.get("ScanIndexForward", True):
            found.reverse()
        return self._page(request, found)

    def _scan(self, request: Request) -> Answer:
        return self._page(request, list(self.rows[request["TableName"]].values()))

    def _page(self, request: Request, found: list[Row]) -> Answer:
        """Return up to `Limit` rows after the one that is asked for, and where the next page begins."""
        names = key_names(self.definitions[request["TableName"]])
        keys = [{name: row[name] for name in names} for row in found]
        after = request.get("ExclusiveStartKey")
        start = 0 if after is None else keys.index({name: after[name] for name in names}) + 1
        end = start + request.get("Limit", len(found))
        more = {"LastEvaluatedKey": keys[end - 1]} if end < len(found) else {}
        return OK, {"Items": _copied(found[start:end]), **more}

    def _apply(self, kind: str, write: Request, before: Row | None) -> Row:
        table, key = self.key_of(kind, write)
        if kind == "Put":
            after = dict(write["Item"])
        else:
            after = _copied(before) if before is not None else dict(write["Key"])
            _changed(_Scope(after, write), write["UpdateExpression"])
        self.rows[table][key] = after
        return after

    def _count(
        self, where: tuple[str, Key], before: Row | None, after: Row | None, *, in_transaction: bool
    ) -> None:
        self.units += write_units(self.definitions[where[0]], before, after, in_transaction=in_transaction)


class _Scope:
    """What an expression speaks of: a row, and the request's names and values."""

    def __init__(self, row: Row | None, request: Request) -> None:
        self.row: Row = {} if row is None else row
        self._names = request.get("ExpressionAttributeNames", {})
        self._values = request.get("ExpressionAttributeValues", {})

    def steps(self, path: str) -> list[str | int]:
        """Return the way to a path."""
        parts = re.findall(r"[#\w]+|\[\d+\]", path)
        return [int(part[1:-1]) if part[0] == "[" else self._names.get(part, part) for part in parts]

    def at(self, operand: str) -> Any:
        """Return the typed value of a placeholder or at a path; `None` where there is nothing."""
        if operand[0] == ":":
            return self._values[operand]
        found: Any = {"M": self.row}
        for step in self.steps(operand):
            inside = (found or {}).get("L" if isinstance(step, int) else "M")
            if inside is None or (isinstance(step, str) and step not in inside):
                return None
            if isinstance(step, int) and step >= len(inside):
                return None
            found = inside[step]
        return found


def _copied(value: Any) -> Any:
    """Return a copy of rows. They are JSON, which `marshal` copies in an eighth of a deep copy's time."""
    return marshal.loads(marshal.dumps(value))  # noqa: S302 - written just before


Test = Callable[[_Scope], bool]


def _plain(value: Any) -> Any:
    if value is None:
        return None
    ((kind, inside),) = value.items()
    return int(inside) if kind == "N" else inside


def _holds(write: Request, row: Row | None) -> bool:
    return "ConditionExpression" not in write or _parsed(write["ConditionExpression"])(_Scope(row, write))


@lru_cache(maxsize=1_000)
def _parsed(text: str) -> Test:
    tokens = _TOKEN.findall(text)
    assert "".join(tokens) == text.replace(" ", ""), text
    reader = iter([*tokens, ""])
    return _Parser(reader).any_of()


class _Parser:
    """Reads a condition: AND binds tighter than OR."""

    def __init__(self, tokens: Iterator[str]) -> None:
        self._tokens = tokens
        self._next = next(tokens)

    def _take(self, expected: str | None = None) -> str:
        taken = self._next
        assert expected is None or taken == expected, f"{taken}, not {expected}"
        self._next = next(self._tokens, "")
        return taken

    def any_of(self) -> Test:
        parts = [self._all_of()]
        while self._next == "OR":
            self._take()
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else lambda scope: any(part(scope) for part in parts)

    def _all_of(self) -> Test:
        parts = [self._one()]
        while self._next == "AND":
            self._take()
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else lambda scope: all(part(scope) for part in parts)

    def _one(self) -> Test:
        if self._next == "(":
            self._take()
            inside = self.any_of()
            self._take(")")
            return inside
        if self._next in ("attribute_exists", "attribute_not_exists"):
            wanted = self._take() == "attribute_exists"
            self._take("(")
            path = self._take()
            self._take(")")
            return lambda scope: (scope.at(path) is not None) is wanted
        left = self._operand()
        sign = self._take()
        first = self._operand()
        if sign == "BETWEEN":
            self._take("AND")
            last = self._operand()
            return lambda scope: (
                _compared(left(scope), ">=", first(scope)) and _compared(left(scope), "<=", last(scope))
            )
        return lambda scope: _compared(left(scope), sign, first(scope))

    def _operand(self) -> Callable[[_Scope], Any]:
        token = self._take()
        if token != "size":
            return lambda scope: _plain(scope.at(token))
        self._take("(")
        path = self._take()
        self._take(")")
        return lambda scope: None if (found := _plain(scope.at(path))) is None else len(found)


def _compared(left: Any, sign: str, right: Any) -> bool:
    # Nothing compares with what is missing, and no number with a text.
    if left is None or type(left) is not type(right):
        return False
    return bool({"=": left == right, "<": left < right, "<=": left <= right, ">=": left >= right}[sign])


_CHANGE = re.compile(
    r"(?P<to>[#\w.\[\]]+) = "
    r"(?:if_not_exists\((?P<kept>[#\w.\[\]]+), (?P<start>:\w+)\)|(?P<read>[#:\w.\[\]]+))"
    r"(?: \+ (?P<more>:\w+))?(?:, |$)"
)


@lru_cache(maxsize=1_000)
def _clauses(text: str) -> tuple[list[Mapping[str, str | None]], list[str]]:
    sets, _, removes = text.partition("REMOVE ")
    body = sets.removeprefix("SET ").strip()
    changes: list[Mapping[str, str | None]] = [match.groupdict() for match in _CHANGE.finditer(body)]
    assert _CHANGE.sub("", body) == "", text
    return list(changes), removes.split(", ") if removes else []


def _changed(scope: _Scope, text: str) -> None:
    changes, removes = _clauses(text)
    # Each change reads the row as it was.
    values = [(scope.steps(str(change["to"])), _value(scope, change)) for change in changes]
    for steps, value in values:
        _inside(scope.row, steps[:-1])[steps[-1]] = value
    for path in removes:
        steps = scope.steps(path)
        _inside(scope.row, steps[:-1]).pop(steps[-1], None)


def _value(scope: _Scope, change: Mapping[str, str | None]) -> Any:
    read = scope.at(str(change["kept"] or change["read"]))
    if read is None and change["start"] is not None:
        read = scope.at(change["start"])
    assert read is not None, f"nothing is there to be read by {change}"
    return (
        _copied(read)
        if change["more"] is None
        else {"N": str(_plain(read) + _plain(scope.at(change["more"])))}
    )


def _inside(row: Row, steps: list[str | int]) -> Any:
    found: Any = row
    for step in steps:
        ((_, found),) = found[step].items()
    return found
