"""The template under sets of parameters, as CloudFormation gets it: it translates, and lacks no name."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT, read_template
from local.translation import parse_template, translate
from tests.bench.cost.idle import Stack, deployed

pytestmark = pytest.mark.aws

LINT = ROOT / ".local/sam/bin/cfn-lint"
TIMEOUT_S = 900
MAX_RESOURCES = 500
"""CloudFormation quotas: resources in one template."""
IN_A_TEXT = re.compile(r"\$\{([A-Za-z0-9:]+)[^}]*\}")
"""A name in the text of `Fn::Sub`. `${!Literal}` is none."""
PERMISSION = "AWS::Lambda::Permission"
NO_VALUE = {"Ref": "AWS::NoValue"}
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555"
IDENTITY = "arn:aws:ses:us-east-1:123456789012:identity/example.com"
VAULT = "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies"
KEY = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"
BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"

DOMAIN = {
    "DomainName": "api.example.com",
    "CertificateArn": CERTIFICATE,
    "HostedZoneId": "Z0123456789ABCDEFGHIJ",
}
MAIL = {"AlarmEmail": "page@example.com", "TicketEmail": "ticket@example.com", "MonthlyBudgetUsd": "100"}
PEOPLE = {"SignUp": "open", "SignInDomain": "example", "SignInMailIdentityArn": IDENTITY}
SENDER = {"MailFrom": "Tollgate <hello@example.com>"}
SPEED = {"TextConcurrency": "100", "ReserveConcurrency": "true", "SnapStart": "true"}
RELEASES = {"CanaryDeployment": "true", "Visits": "true", "OperationsDashboard": "true"}
GUARDS = {"RequestsPerAddress": "2000", "MediaRetentionDays": "30", "BackupCopyVaultArn": VAULT}
COMPANY = {"KeyArn": KEY, "PermissionsBoundaryArn": BOUNDARY}
OIDC = {
    "OidcIssuer": "https://acme.example",
    "OidcClientId": "tollgate",
    "OidcClientSecretName": "acme-oidc",
    "OidcName": "Acme",
    "OidcEmailDomains": "acme.example,acme.org",
}
SAML = {
    "SamlMetadataUrl": "https://beta.example/saml",
    "SamlName": "Beta",
    "SamlEmailDomains": "beta.example",
}


SETS: Mapping[str, Mapping[str, str]] = {
    "dev": deployed("default"),
    "prod": deployed("prod"),
    "local": {"LocalEndpoint": "http://127.0.0.1:4566"},
    "tuned": {"Architecture": "x86_64", **SPEED, **GUARDS, **COMPANY},
    "public": {**DOMAIN, **PEOPLE, **SENDER, **MAIL, **OIDC},
    "everything": {
        "Stage": "prod",
        **DOMAIN,
        **PEOPLE,
        **SENDER,
        **MAIL,
        **SPEED,
        **GUARDS,
        **COMPANY,
        **RELEASES,
        **OIDC,
        **SAML,
    },
}


def resolved(stack: Stack, value: Any) -> Any:
    """Return a part of the template with one branch of each `Fn::If`, and without what has no value."""
    value = stack.chosen(value)
    if isinstance(value, dict):
        parts = {name: resolved(stack, each) for name, each in value.items()}
        return {name: each for name, each in parts.items() if each != NO_VALUE}
    if isinstance(value, list):
        return [found for each in value if (found := resolved(stack, each)) != NO_VALUE]
    return value


def written_out(given: Mapping[str, str], file: Path) -> int:
    """Write the template as it is under some parameters; return how many resources it has.

    No condition is left in it, so a reference to a resource that these parameters leave out has no target.
    """
    template = read_template(given)
    stack = Stack(template, given)
    parameters = template.source["Parameters"]
    assert given.keys() <= parameters.keys()
    outputs = {
        name: each
        for name, each in template.source["Outputs"].items()
        if "Condition" not in each or stack.holds({"Condition": each["Condition"]})
    }
    sections = resolved(stack, {"Resources": stack.resources, "Outputs": outputs})
    for section in sections.values():
        for each in section.values():
            each.pop("Condition", None)
    document = {"AWSTemplateFormatVersion": "2010-09-09", "Parameters": parameters, **sections}
    file.write_text(json.dumps(document))
    return len(stack.resources)


def without_deployments(resources: Mapping[str, Any]) -> Any:
    """Return a translation without the gateway's deployments' names, which are hashes of all parameters."""
    text = re.sub(r"(?i)(deployment(?: id: )?)[0-9a-f]{10,}", r"\1", json.dumps(resources, sort_keys=True))
    return json.loads(text)


def dangling(document: Mapping[str, Any]) -> set[str]:
    """Return the names that a template refers to and does not have."""
    known = {*document["Resources"], *document["Parameters"]}
    return {name for name in references(document) if name not in known and not name.startswith("AWS::")}


def references(value: Any) -> Iterator[str]:
    """Return the names of parameters and resources that a part of a template refers to."""
    if isinstance(value, list):
        for each in value:
            yield from references(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            match name, each:
                case "Ref", str():
                    yield each
                case "DependsOn", str() | list():
                    yield from [each] if isinstance(each, str) else each
                case "Fn::GetAtt", [str(resource), *_]:
                    yield resource
                case "Fn::GetAtt", str():
                    yield each.partition(".")[0]
                case "Fn::Sub", str() | [str(), dict()]:
                    text, own = (each, {}) if isinstance(each, str) else each
                    yield from (found for found in IN_A_TEXT.findall(text) if found not in own)
                    yield from references(own)
                case _:
                    yield from references(each)


def test_what_nobody_has_is_found() -> None:
    references_of = {"A": {"DependsOn": "B", "P": [{"Ref": "C"}, {"Fn::GetAtt": ["D", "Arn"]}]}}
    text = {"Fn::Sub": ["${E.Arn} ${Own} ${!Not} ${AWS::Region}", {"Own": {"Ref": "Stage"}}]}
    document = {"Resources": references_of, "Parameters": {"Stage": {}}, "Outputs": {"O": {"Value": text}}}
    assert dangling(document) == {"B", "C", "D", "E"}


def test_only_the_canary_changes_what_sam_makes() -> None:
    given = SETS["everything"]
    made = translate(parse_template(), given)
    assert without_deployments(made) == without_deployments(read_template(given).resources)


@pytest.mark.parametrize("name", SETS)
def test_they_translate_and_refer_to_nothing_that_they_leave_out(name: str, tmp_path: Path) -> None:
    file = tmp_path / "template.json"
    assert written_out(SETS[name], file) <= MAX_RESOURCES
    assert dangling(json.loads(file.read_text())) == set()


def test_the_least_and_the_most_have_no_lint_error(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.json" for name in ("dev", "everything")]
    for file in files:
        written_out(SETS[file.stem], file)
        document = json.loads(file.read_text())
        # SAM makes one for each route, all alike, and they would take a third of the time
        found = {name: each for name, each in document["Resources"].items() if each["Type"] != PERMISSION}
        file.write_text(json.dumps({**document, "Resources": found}))
    # At once: to read the schemas of all resources takes half of the time.
    options = ("--non-zero-exit-code", "error", "--ignore-checks", "W", "--")
    linted = subprocess.run(
        [str(LINT), *options, *map(str, files)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env={**os.environ, "AWS_DEFAULT_REGION": "us-east-1"},
    )
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize("stage", ["default", "prod"])
def test_the_stages_of_samconfig_name_parameters_that_are_there(stage: str) -> None:
    known = read_template().source["Parameters"]
    for name, value in deployed(stage).items():
        assert name in known
        assert value in map(str, known[name].get("AllowedValues", [value]))
