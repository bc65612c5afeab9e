"""What only AWS gets of the template, with every optional part on, as far as the emulator knows it."""

import json
from typing import Any

import pytest

from tests.e2e.deployment import UNKNOWN_TYPES, Deployment, built_resources

pytestmark = [pytest.mark.e2e, pytest.mark.emulator]

DOMAIN = "api.tollgate.example"
PARAMETERS = {
    "Stage": "prod",
    "AlarmEmail": "operator@tollgate.example",
    "TicketEmail": "tickets@tollgate.example",
    "Visits": "true",
    "OperationsDashboard": "true",
    "MonthlyBudgetUsd": "50",
    "CanaryDeployment": "true",
    "RequestsPerAddress": "3000",
    "ReserveConcurrency": "true",
    "TextConcurrency": "500",
    "MediaRetentionDays": "30",
    "DomainName": DOMAIN,
    "SignInDomain": "tollgate-example",
    "SignInMailIdentityArn": "arn:aws:ses:us-east-1:000000000000:identity/tollgate.example",
    "BackupCopyVaultArn": "arn:aws:backup:eu-west-1:000000000000:backup-vault:copies",
}
"""All that a stack of prod may ask for; a hosted zone and a certificate are made for it."""
FALSE_THERE = ("IsLocal", "HasFileMetrics", "HasOidc", "HasSaml")
"""Conditions that do not hold: the emulator has no value for `AWS::Region` where a condition asks for it, and
the stack has no company's provider."""


@pytest.fixture(scope="module")
def on_aws(built: Deployment) -> Deployment:
    """Return a stack of prod that takes the emulator for AWS."""
    stack = Deployment("tollgate-on-aws", built.endpoint)
    zone = stack.client("route53").create_hosted_zone(Name="tollgate.example", CallerReference="1")
    certificate = stack.client("acm").request_certificate(DomainName=DOMAIN)["CertificateArn"]
    zone_id = zone["HostedZone"]["Id"].removeprefix("/hostedzone/")
    stack.deploy_as_on_aws({**PARAMETERS, "HostedZoneId": zone_id, "CertificateArn": certificate})
    return stack


class TestOnAws:
    def test_every_resource_is_made_but_those_it_has_no_type_for(self, on_aws: Deployment) -> None:
        pages = on_aws.client("cloudformation").get_paginator("list_stack_resources")
        summaries = [
            row for page in pages.paginate(StackName=on_aws.stack) for row in page["StackResourceSummaries"]
        ]
        made = {row["LogicalResourceId"] for row in summaries if row["ResourceStatus"] == "CREATE_COMPLETE"}
        left_out = {*UNKNOWN_TYPES, "AWS::Serverless::LayerVersion"}  # a layer gets a name of its content
        wanted = {
            name
            for name, resource in built_resources().items()
            if resource["Type"] not in left_out and resource.get("Condition") not in FALSE_THERE
        }
        assert wanted - made == set()

    def test_people_sign_in_at_the_pool_that_the_dashboard_reads_of(self, on_aws: Deployment) -> None:
        settings = parameter(on_aws, f"/{on_aws.stack}/sign-in")
        pool_id = on_aws.physical("UserPool")
        pool = on_aws.client("cognito-idp").describe_user_pool(UserPoolId=pool_id)["UserPool"]
        client = on_aws.client("cognito-idp").describe_user_pool_client(
            UserPoolId=pool_id, ClientId=settings["client_id"]
        )["UserPoolClient"]
        assert settings["issuer"].endswith(f"/{pool_id}")
        assert settings["domain"].startswith(f"https://{PARAMETERS['SignInDomain']}.auth.")
        assert pool["MfaConfiguration"] == "OPTIONAL"
        assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
        assert client["CallbackURLs"] == [f"https://{DOMAIN}/dashboard/sign-in/callback"]
        assert "ClientSecret" not in client

    def test_tables_of_prod_refuse_to_be_deleted(self, on_aws: Deployment) -> None:
        tables = {name for name, of in built_resources().items() if of["Type"] == "AWS::DynamoDB::Table"}
        unprotected = {name for name in tables if not protected(on_aws, name)}
        assert tables
        assert unprotected == set()


def protected(stack: Deployment, table: str) -> bool:
    """Return whether a table of the stack refuses to be deleted."""
    found = stack.client("dynamodb").describe_table(TableName=stack.physical(table))["Table"]
    return found.get("DeletionProtectionEnabled") is True


def parameter(stack: Deployment, name: str) -> Any:
    """Return what a parameter of the stack holds."""
    return json.loads(stack.client("ssm").get_parameter(Name=name)["Parameter"]["Value"])
