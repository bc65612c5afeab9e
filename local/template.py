"""Reads template.yaml after SAM's translation, in CloudFormation's form."""

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tollgate.catalog.loader import read_yaml
from tollgate.kit.settings import QUEUES, TABLES, unpacked
from tollgate.reference import HERE

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / ".local" / "translations"
"""The translations of the last templates, so that only the first process translates one."""
MAX_STORED = 16
TRANSLATOR = Path(__file__).with_name("translation.py")
CANARY = "CanaryDeployment"
"""The only parameter by which SAM makes other resources (`tests/aws/test_parameter_sets.py`)."""

Properties = dict[str, Any]
Routes = dict[str, Any]
"""The routes of a path, by method."""
PACKED = (TABLES, QUEUES)


ANY_METHOD = "x-amazon-apigateway-any-method"
"""SAM's word for `Method: ANY`."""
ANY_PATH = "{proxy+}"
ONE_PART, ANY_PARTS = "[^/]+", ".+"
_PROXY = re.compile(r"\\{\w+\\\+\\}")
_VARIABLE = re.compile(r"\\{\w+\\}")


@dataclass(frozen=True, slots=True)
class Template:
    """The template: `source` before SAM's translation, `resources` after it."""

    source: dict[str, Any]
    resources: dict[str, dict[str, Any]]

    def of_type(self, kind: str) -> dict[str, Properties]:
        """Return the properties of each resource of a type such as `AWS::SQS::Queue`, by logical id."""
        found = {name: each for name, each in self.resources.items() if each["Type"] == kind}
        return {name: each.get("Properties", {}) for name, each in found.items()}

    def functions(self) -> dict[str, Properties]:
        """Return the properties of each function, by logical id."""
        return self.of_type("AWS::Lambda::Function")

    def openapi(self) -> dict[str, Any]:
        """Return the API's OpenAPI document, without routes for any method or for any path.

        A route for any method has the described methods of its path, and HEAD too if only GET is described.
        A route for any path has the described paths below it that have its method.
        """
        body: dict[str, Any] = self.of_type("AWS::ApiGateway::RestApi")["Api"]["Body"]
        described = _described_methods()
        paths: dict[str, Routes] = {}
        for path, on in body["paths"].items():
            below = _routes_below(path, on, described)
            # The gateway prefers a complete path.
            found = {each: routes for each, routes in below.items() if each not in body["paths"]}
            paths |= found if below else {path: _routes_of(path, on, described)}
        return {**body, "paths": paths}

    def routes(self) -> set[tuple[str, str]]:
        """Return every route to a function as `(METHOD, path)`, without the gateway's preflights."""
        paths = self.openapi()["paths"]
        return {
            (method.upper(), path)
            for path, on in paths.items()
            for method, route in on.items()
            if route["x-amazon-apigateway-integration"]["type"] != "mock"
        }

    def preflights(self) -> dict[str, dict[str, Any]]:
        """Return the unresolved headers of the gateway's responses to preflights, by path."""
        found = {}
        for path, on in self.openapi()["paths"].items():
            integration = on.get("options", {}).get("x-amazon-apigateway-integration", {})
            if integration.get("type") == "mock":
                headers = integration["responses"]["default"]["responseParameters"]
                found[path] = {name.rpartition(".")[2].lower(): value for name, value in headers.items()}
        return found

    def role(self, function: str) -> Properties:
        """Return the role of a function."""
        return self.of_type("AWS::IAM::Role")[f"{function}Role"]

    def statements(self, function: str) -> list[Properties]:
        """Return the statements of a function's policies, with their values on AWS."""
        policies = self.role(function).get("Policies", [])
        written = [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]
        return [on_aws(statement) for statement in written]

    def permissions(self, function: str) -> set[tuple[str, str]]:
        """Return the permissions in a function's policies as `(action, resource)`."""
        return {
            (action, named(resource))
            for statement in self.statements(function)
            if statement["Effect"] == "Allow"
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
        }

    def variables(self, function: str) -> Properties:
        """Return a function's unresolved environment variables, with a variable for each table and queue."""
        written: Properties = self.functions()[function]["Environment"]["Variables"]
        packed = {name: written[name] for name in PACKED if name in written}
        alone = {name: value for name, value in written.items() if name not in PACKED}
        named = {name: value["Fn::Sub"] for name, value in packed.items()}
        # The value of each in the form of `Ref`
        return alone | {
            name: {"Ref": re.split(r"[.}]", value.rpartition("${")[2])[0]}
            for name, value in unpacked(named).items()
        }


def read_template(parameters: Mapping[str, str] | None = None) -> Template:
    """Return template.yaml, parsed and translated. Raises SAM's exception for a template that SAM refuses.

    `parameters` are the given parameters; only the switch of canary deployments changes the result. A process
    reads the template once for each of its values. The result is shared, so callers must not change it.
    """
    return _read(is_canary=(parameters or {}).get(CANARY) == "true")


def _routes_of(path: str, on: Routes, described: Mapping[str, list[str]]) -> Routes:
    """Return the routes of a path by method. A route for any method has the described ones."""

    def methods(method: str) -> list[str]:
        if method != ANY_METHOD:
            return [method]
        if path not in described:
            # A second path of described routes
            return ["get", "post", "delete"]
        return ["get", "head"] if described[path] == ["get"] else described[path]

    return {each: route for method, route in on.items() for each in methods(method)}


def _routes_below(path: str, on: Routes, described: Mapping[str, list[str]]) -> dict[str, Routes]:
    """Return the routes of each described path below a path for any; nothing for other paths."""
    start = path.removesuffix(ANY_PATH)
    below = {each: methods for each, methods in described.items() if start != path and each.startswith(start)}
    return {
        each: {
            method: route
            for method, route in _routes_of(each, on, described).items()
            if method in (*methods, "options")
        }
        for each, methods in below.items()
    }


@cache
def _described_methods() -> Mapping[str, list[str]]:
    """Return the methods of each path for customers, in lower case."""
    found: dict[str, list[str]] = {}
    for route in read_yaml(HERE / "operations.yaml")["operations"]:
        method, path = route.split(" ")
        found.setdefault(path, []).append(method.lower())
    return found


@cache
def _read(*, is_canary: bool) -> Template:
    parameters = {CANARY: "true"} if is_canary else {}
    # Everything that determines a translation
    inputs = json.dumps([version("aws-sam-translator"), parameters]).encode()
    inputs += TRANSLATOR.read_bytes() + (ROOT / "template.yaml").read_bytes()
    stored = TRANSLATIONS / f"{sha256(inputs).hexdigest()}.json"
    if not stored.exists():
        _store(stored, parameters)
    return Template(**json.loads(stored.read_bytes()))


def _store(stored: Path, parameters: Mapping[str, str]) -> None:
    """Translate the template and store the result, for this process and later processes."""
    # Imported late, because the import takes a second and most processes find a stored translation.
    from local.translation import parse_template, translate  # noqa: PLC0415

    source = parse_template()
    content = json.dumps({"source": source, "resources": translate(deepcopy(source), parameters)})
    TRANSLATIONS.mkdir(parents=True, exist_ok=True)
    older = sorted(TRANSLATIONS.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
    for each in older[MAX_STORED - 1 :]:
        each.unlink(missing_ok=True)
    # Renamed, because another process may read it at the same time.
    with NamedTemporaryFile("w", dir=TRANSLATIONS, suffix=".part", delete=False) as part:
        part.write(content)
    Path(part.name).replace(stored)


def as_list(value: Any) -> list[Any]:
    """Return a list as it is and anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def on_aws(value: Any) -> Any:
    """Return the value on AWS, if it differs on an emulator."""
    match value:
        case {"Fn::If": ["IsOnAws", there, _]}:
            return there
        case _:
            return value


def named(value: Any) -> str:
    """Return an intrinsic as text: `Table` for Ref, Arn and Id; `Table.StreamArn`, `${Bucket.Arn}/*`."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), "Arn" | "Id"]}:
            return name
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"{name}.{attribute}"
        case {"Fn::Sub": str(text)}:
            return text
        case str(text):
            return text
        case _:
            raise ValueError(f"not expected here: {json.dumps(value)}")


def path_pattern(path: str) -> re.Pattern[str]:
    """Return the expression for the paths of a route. `{name}` is one part of a path, `{name+}` several."""
    escaped = _VARIABLE.sub(ONE_PART, _PROXY.sub(ANY_PARTS, re.escape(path)))
    return re.compile(escaped + "/?", re.DOTALL)


def stem_of(function: str) -> str:
    """Return the stem of a function's logical id: `run_task` of `RunTaskFunction`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", function.removesuffix("Function")).lower()
