"""`make architecture`: draws docs/architecture.svg from template.yaml, so that it is always up to date.

It has a row for each function with its callers, and a column for each resource with data. A mark at a
crossing shows the access that the function's role allows, or that the resource triggers the function.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from html import escape

from local.template import ROOT, Template, named, read_template

DIAGRAM = ROOT / "docs" / "architecture.svg"
KINDS = ("DynamoDB::Table", "SQS::Queue", "S3::Bucket", "SecretsManager::Secret")
"""The resources with a column, in this order. Dead-letter queues have none."""

LEFT, TOP, COLUMN, ROW = 330, 150, 44, 40
COLOURS = {"DynamoDB::Table": "#3b5bdb", "SQS::Queue": "#c2255c", "S3::Bucket": "#2b8a3e"}
OTHER_COLOUR = "#5f3dc4"
_NAME = re.compile(r"\$\{(\w+)")


class Access(IntEnum):
    """The access of a function to a resource, the weakest first."""

    READS = 1
    WRITES = 2
    TRIGGERED = 3


@dataclass(frozen=True, slots=True)
class Wiring:
    """The content of the diagram: callers by function, and access by function and resource."""

    callers: dict[str, list[str]]
    resources: dict[str, str]
    """The kind of each, by logical id."""
    access: dict[tuple[str, str], Access]


def wiring(template: Template) -> Wiring:
    """Read the wiring from the routes, the event sources and the roles."""
    resources = {
        name: kind for kind in KINDS for name in template.of_type(f"AWS::{kind}") if "DeadLetter" not in name
    }
    access: dict[tuple[str, str], Access] = {}
    for function in template.functions():
        for action, resource in template.permissions(function):
            name = _resource(resource)
            if name in resources:
                key = (function, name)
                access[key] = max(access.get(key, Access.READS), _access(action))
    for source in template.of_type("AWS::Lambda::EventSourceMapping").values():
        key = (_resource(named(source["FunctionName"])), _resource(named(source["EventSourceArn"])))
        access[key] = Access.TRIGGERED
    return Wiring({name: list(_callers(template, name)) for name in template.functions()}, resources, access)


def _callers(template: Template, function: str) -> Iterable[str]:
    """Yield the callers of a function, except the resources that trigger it."""
    routes = [
        path
        for path, methods in template.openapi()["paths"].items()
        for on in methods.values()
        if f"${{{function}" in str(on.get("x-amazon-apigateway-integration", {}).get("uri"))
    ]
    if routes:
        yield "API Gateway"
    for rule in template.of_type("AWS::Events::Rule").values():
        if any(_resource(named(target["Arn"])) == function for target in rule["Targets"]):
            yield str(rule["ScheduleExpression"])
    for caller in template.functions():
        if ("lambda:InvokeFunction", function) in template.permissions(caller):
            yield _stem(caller)


def _access(action: str) -> Access:
    verb = action.partition(":")[2]
    # A queue's consumer receives and deletes, which the mark for the trigger includes.
    reads = ("Get", "BatchGet", "Query", "Scan", "List", "Describe", "ReceiveMessage", "DeleteMessage")
    return Access.READS if verb.startswith(reads) else Access.WRITES


def _resource(text: str) -> str:
    """Return the logical id in `Table`, `Table.StreamArn` or `${Bucket.Arn}/*`."""
    found = _NAME.match(text)
    return found[1] if found else text.partition(".")[0]


def _stem(function: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", function.removesuffix("Function")).lower()


def render_diagram(plan: Wiring) -> str:
    """Return the image as SVG, light or dark according to the reader's settings."""
    rows = {function: TOP + ROW * number for number, function in enumerate(plan.callers)}
    columns = {name: LEFT + COLUMN * number for number, name in enumerate(plan.resources)}
    width, bottom = LEFT + COLUMN * len(columns) + 90, TOP + ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 60}" role="img" '
        'aria-labelledby="title" font-family="system-ui, sans-serif" font-size="13">',
        '<title id="title">Functions, their callers, and the data that they read and write</title>',
        f'<rect width="{width}" height="{bottom + 60}" fill="#fff"/>',
    ]
    for name, x in columns.items():
        colour = COLOURS.get(plan.resources[name], OTHER_COLOUR)
        parts.append(f'<path d="M{x} {TOP - 24}V{bottom - ROW // 2}" stroke="{colour}" opacity=".35"/>')
        parts.append(
            f'<text transform="translate({x + 4} {TOP - 30}) rotate(-45)" fill="{colour}">{name}</text>'
        )
    for function, y in rows.items():
        callers = escape(", ".join(plan.callers[function]))
        parts.append(f'<path d="M{LEFT - 30} {y}H{LEFT + COLUMN * (len(columns) - 1) + 12}" stroke="#ccc"/>')
        parts.append(
            f'<text x="{LEFT - 40}" y="{y}" text-anchor="end" font-weight="600">{_stem(function)}</text>'
        )
        small = 'text-anchor="end" font-size="11" fill="#666"'
        parts.append(f'<text x="{LEFT - 40}" y="{y + 14}" {small}>{callers}</text>')
    parts += [
        _mark(columns[name], rows[function], found) for (function, name), found in sorted(plan.access.items())
    ]
    parts.append(_legend(bottom + 20))
    return "\n".join([*parts, "</svg>", ""])


def _mark(x: int, y: int, access: Access) -> str:
    if access is Access.TRIGGERED:
        return f'<path d="M{x + 7} {y - 8}L{x - 8} {y}L{x + 7} {y + 8}Z" fill="#e8590c"/>'
    fill = "#222" if access is Access.WRITES else "#fff"
    return f'<circle cx="{x}" cy="{y}" r="6" fill="{fill}" stroke="#222" stroke-width="1.5"/>'


def _legend(y: int) -> str:
    words = {Access.TRIGGERED: "triggers it", Access.WRITES: "it writes", Access.READS: "it reads"}
    parts = []
    for number, (access, text) in enumerate(words.items()):
        x = LEFT + 110 * number
        parts += [_mark(x, y, access), f'<text x="{x + 14}" y="{y + 4}">{text}</text>']
    return "\n".join(parts)


def main() -> None:
    """Draw the image."""
    DIAGRAM.write_text(render_diagram(wiring(read_template())))


if __name__ == "__main__":
    main()
