"""The template under sets of parameters, as CloudFormation gets it: it translates, without a lint error."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT, read_template
from tests.bench.cost.idle import Stack, deployed

pytestmark = pytest.mark.aws

LINT = ROOT / ".local/sam/bin/cfn-lint"
TIMEOUT_S = 900
MAX_RESOURCES = 500
"""CloudFormation quotas: resources in one template."""
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

    No condition is left in it: what refers to a resource that these parameters leave out is a lint error.
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


def test_they_translate_and_have_no_lint_error(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.json" for name in SETS}
    sizes = {name: written_out(SETS[name], file) for name, file in files.items()}
    assert {name: size for name, size in sizes.items() if size > MAX_RESOURCES} == {}
    # At once: to read the schemas of all resources takes half of the time.
    options = ("--non-zero-exit-code", "error", "--ignore-checks", "W", "--")
    environment = {**os.environ, "AWS_DEFAULT_REGION": "us-east-1"}
    linted = subprocess.run(
        [str(LINT), *options, *map(str, files.values())],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env=environment,
    )
    assert linted.returncode == 0, linted.stdout


@pytest.mark.parametrize("stage", ["default", "prod"])
def test_the_stages_of_samconfig_name_parameters_that_are_there(stage: str) -> None:
    known = read_template().source["Parameters"]
    for name, value in deployed(stage).items():
        assert name in known
        assert value in map(str, known[name].get("AllowedValues", [value]))
