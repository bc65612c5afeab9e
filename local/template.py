"""Reads template.yaml as CloudFormation sees it: translated by SAM, on this machine, without AWS."""

import json
import logging
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import yaml
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import intrinsics_multi_constructor

from tollgate.kit.settings import QUEUES, TABLES, unpacked

# The translator warns of features of its own that nobody here can switch.
logging.getLogger("samtranslator").setLevel(logging.ERROR)

REGION = "us-east-1"
"""The translator asks for one, whichever."""
UPLOADED = "s3://bucket/key"
ROOT = Path(__file__).resolve().parents[1]

Properties = dict[str, Any]
PACKED = (TABLES, QUEUES)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads what CloudFormation writes short (`!Ref`), as SAM does; libyaml's parser is ten times as fast."""


_Loader.add_multi_constructor("!", intrinsics_multi_constructor)

MANAGED_POLICIES = {
    name: f"arn:aws:iam::aws:policy/service-role/{name}"
    for name in ("AWSLambdaBasicExecutionRole", "AWSCodeDeployRoleForLambda")
}
"""Those that the translator looks up; it knows the one for traces."""


@dataclass(frozen=True, slots=True)
class Template:
    """The template: `source` as written, `resources` as SAM translates them."""

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
        """Return the API's OpenAPI document."""
        body: dict[str, Any] = self.of_type("AWS::ApiGateway::RestApi")["Api"]["Body"]
        return body

    def routes(self) -> set[tuple[str, str]]:
        """Return every route to a function as `(METHOD, path)`; preflights are the gateway's own."""
        paths = self.openapi()["paths"]
        return {
            (method.upper(), path)
            for path, on in paths.items()
            for method, route in on.items()
            if route["x-amazon-apigateway-integration"]["type"] != "mock"
        }

    def preflights(self) -> dict[str, dict[str, Any]]:
        """Return the headers, unresolved, that the gateway answers a preflight with, by path."""
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
        """Return the statements of a function's own policies, as they are on AWS."""
        policies = self.role(function).get("Policies", [])
        written = [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]
        return [on_aws(statement) for statement in written]

    def permissions(self, function: str) -> set[tuple[str, str]]:
        """Return what a function's own policies allow, as `(action, resource)`."""
        return {
            (action, named(resource))
            for statement in self.statements(function)
            if statement["Effect"] == "Allow"
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
        }

    def variables(self, function: str) -> Properties:
        """Return the environment variables of a function, unresolved; each table and queue by its own."""
        written: Properties = self.functions()[function]["Environment"]["Variables"]
        packed = {name: written[name] for name in PACKED if name in written}
        alone = {name: value for name, value in written.items() if name not in PACKED}
        named = {name: value["Fn::Sub"] for name, value in packed.items()}
        # What each stands for, in the form of `Ref`
        return alone | {
            name: {"Ref": re.split(r"[.}]", value.rpartition("${")[2])[0]}
            for name, value in unpacked(named).items()
        }


def read_template(parameters: Mapping[str, str] | None = None) -> Template:
    """Parse and translate template.yaml; raises what SAM raises for a template that it refuses.

    `parameters` are given ones; the translator reads those that switch a canary deployment on. It takes a
    second, so a process does it once; what is returned is for all, and not to be changed.
    """
    return _read(tuple(sorted((parameters or {}).items())))


@cache
def _read(parameters: tuple[tuple[str, str], ...]) -> Template:
    source = parse_template()
    return Template(source, translate(deepcopy(source), dict(parameters)))


def parse_template() -> dict[str, Any]:
    """Return template.yaml as written."""
    source: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text(), Loader=_Loader)  # noqa: S506
    return source


def translate(source: dict[str, Any], parameters: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the resources that SAM makes of `source`, which it changes; local code counts as uploaded."""
    everything = (
        source["Globals"]["Function"],
        *(each.get("Properties", {}) for each in source["Resources"].values()),
    )
    for properties in everything:
        for name in ("CodeUri", "ContentUri"):
            if not properties.get(name, UPLOADED).startswith("s3:"):
                properties[name] = UPLOADED
    translator = Translator(MANAGED_POLICIES, Parser(), boto_session=boto3.Session(region_name=REGION))
    resources: dict[str, Any] = translator.translate(source, dict(parameters or {}))["Resources"]
    return resources


def as_list(value: Any) -> list[Any]:
    """Return a list as it is and anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def on_aws(value: Any) -> Any:
    """Return what stands on AWS for a value that is another one on an emulator."""
    match value:
        case {"Fn::If": ["IsOnAws", there, _]}:
            return there
        case _:
            return value


def named(value: Any) -> str:
    """An intrinsic as short text: `Table` for Ref, Arn and Id; `Table.StreamArn`, `${Bucket.Arn}/*`."""
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


def stem_of(function: str) -> str:
    """Return the stem of a function's logical id: `run_task` of `RunTaskFunction`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", function.removesuffix("Function")).lower()
