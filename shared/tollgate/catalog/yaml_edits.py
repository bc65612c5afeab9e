"""Changes of single values in the catalog's YAML files that keep all other bytes. Pure.

A route is one line, `- {provider: …, upstream: …, …}`. Routes over several lines are left to a person.
"""

import re

VALUE = r'("[^"]*"|[^,}\s]+)'


def with_value(text: str, provider: str, upstream: str, field: str, value: str) -> str | None:
    """Return the file with one value of a route changed or added, or None if no line has the route.

    `field` is `cost.<name>` or a key of the route, such as `maxOutputTokens`.
    """
    start = re.search(
        rf"^ *- \{{provider: {re.escape(provider)}, upstream: {re.escape(upstream)},.*$", text, re.M
    )
    if start is None:
        return None
    line = start.group()
    changed = _in_cost(line, field[5:], value) if field.startswith("cost.") else _in_route(line, field, value)
    return None if changed is None else text[: start.start()] + changed + text[start.end() :]


def _in_cost(line: str, name: str, value: str) -> str | None:
    cost = re.search(r"cost: \{([^}]*)\}", line)
    if cost is None:
        return None
    inner = _set(cost[1], name, f'"{value}"')
    return line[: cost.start(1)] + inner + line[cost.end(1) :]


def _in_route(line: str, name: str, value: str) -> str:
    opening, inner, rest = line.partition("{")[0] + "{", line.partition("{")[2], ""
    inner, _, rest = inner.rpartition("}")
    return opening + _set(inner, name, value) + "}" + rest


def _set(inner: str, name: str, value: str) -> str:
    found = re.search(rf"(?<![\w.]){name}: {VALUE}", inner)
    if found is None:
        return f"{inner}, {name}: {value}"
    return inner[: found.start(1)] + value + inner[found.end(1) :]
