"""Parses template.yaml and translates it with SAM's own translator, on this machine, without AWS.

The imports and a translation take some seconds, so `template.py` imports this module only for a template that
has no stored translation.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
import yaml
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import intrinsics_multi_constructor

# The translator warns about features that cannot be changed here.
logging.getLogger("samtranslator").setLevel(logging.ERROR)

TEMPLATE = Path(__file__).resolve().parents[1] / "template.yaml"
REGION = "us-east-1"
"""The translator requires a region and works the same for each."""
UPLOADED = "s3://bucket/key"
MANAGED_POLICIES = {
    name: f"arn:aws:iam::aws:policy/service-role/{name}"
    for name in ("AWSLambdaBasicExecutionRole", "AWSCodeDeployRoleForLambda")
}
"""The managed policies that the translator looks up; it knows the policy for traces."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads CloudFormation's short forms (`!Ref`) as SAM does. libyaml's parser is ten times as fast."""


_Loader.add_multi_constructor("!", intrinsics_multi_constructor)


def parse_template() -> dict[str, Any]:
    """Return template.yaml as written."""
    source: dict[str, Any] = yaml.load(TEMPLATE.read_text(), Loader=_Loader)  # noqa: S506
    return source


def translate(source: dict[str, Any], parameters: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return SAM's resources for `source`, which is changed. Local code counts as uploaded.

    Raises SAM's `InvalidDocumentException` for a template that SAM refuses.
    """
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
