"""What a company's account asks of a stack: a bound on its roles, a key of its own, the key's policy."""

import json
import re
from typing import Any

import pytest

from local.template import ROOT, Properties, Template, read_template

KEY, BOUNDARY = {"Ref": "KeyArn"}, {"Ref": "PermissionsBoundaryArn"}
NOTHING = {"Ref": "AWS::NoValue"}
KEYED: dict[str, tuple[str, ...]] = {
    "AWS::DynamoDB::Table": ("SSESpecification", "KMSMasterKeyId"),
    "AWS::SQS::Queue": ("KmsMasterKeyId",),
    "AWS::SNS::Topic": ("KmsMasterKeyId",),
    "AWS::SecretsManager::Secret": ("KmsKeyId",),
    "AWS::Logs::LogGroup": ("KmsKeyId",),
}
"""Where the key stands, by type; of a bucket it is in a list."""
BY_SERVICE = {
    "AWS::DynamoDB::Table": "dynamodb",
    "AWS::SQS::Queue": "sqs",
    "AWS::SecretsManager::Secret": "secretsmanager",
    "AWS::S3::Bucket": "s3",
    "AWS::SNS::Topic": "sns",
}
"""Types that callers use, so that the key is used through the service for them."""
OF_SERVICES = {
    "AWS::Logs::LogGroup": "logs.REGION.amazonaws.com",
    "AWS::CloudFront::Distribution": "cloudfront.amazonaws.com",
    "AWS::CloudWatch::Alarm": "cloudwatch.amazonaws.com",
}
"""Types that use the key by themselves."""


def resolved(value: Any, true: set[str]) -> Any:
    """Return a value with its conditions decided; what is `NoValue` is left out."""
    match value:
        case {"Fn::If": [condition, there, other]}:
            return resolved(there if condition in true else other, true)
        case dict():
            found = {name: resolved(each, true) for name, each in value.items()}
            return {name: each for name, each in found.items() if each != NOTHING}
        case list():
            return [each for each in (resolved(each, true) for each in value) if each != NOTHING]
        case _:
            return value


def at(properties: Properties, way: tuple[str, ...]) -> Any:
    """Return what stands at the end of some names, `None` for nothing."""
    found: Any = properties
    for name in way:
        found = found.get(name, {})
    return found or None


@pytest.fixture(scope="module", params=["false", "true"], ids=["no canary", "canary"])
def template(request: pytest.FixtureRequest) -> Template:
    """Return the template with each set of roles that SAM makes."""
    return read_template({"CanaryDeployment": request.param})


class TestBoundary:
    def test_it_is_on_every_role(self, template: Template) -> None:
        roles = template.of_type("AWS::IAM::Role")
        assert len(roles) > len(template.functions())
        for name, role in roles.items():
            found = resolved(role, {"HasPermissionsBoundary"}).get("PermissionsBoundary")
            assert (name, found) == (name, BOUNDARY)
            assert "PermissionsBoundary" not in resolved(role, set())

    def test_sam_makes_no_role_of_its_own_for_a_canary(self, template: Template) -> None:
        assert "CodeDeployServiceRole" not in template.resources


class TestKey:
    @pytest.mark.parametrize("kind", sorted(KEYED))
    def test_it_encrypts_each(self, template: Template, kind: str) -> None:
        found = template.of_type(kind)
        assert found
        for name, properties in found.items():
            assert (name, at(resolved(properties, {"HasKey"}), KEYED[kind])) == (name, KEY)
            assert at(resolved(properties, set()), KEYED[kind]) is None

    def test_it_encrypts_each_bucket(self, template: Template) -> None:
        for properties in template.of_type("AWS::S3::Bucket").values():
            by = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}}
            (rule,) = resolved(properties, {"HasKey"})["BucketEncryption"][
                "ServerSideEncryptionConfiguration"
            ]
            assert rule == {**by, "BucketKeyEnabled": True}
            (rule,) = resolved(properties, set())["BucketEncryption"]["ServerSideEncryptionConfiguration"]
            assert rule == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}

    def test_the_vault_keeps_its_key_as_another_one_is_another_vault(self, template: Template) -> None:
        (vault,) = template.of_type("AWS::Backup::BackupVault").values()
        assert "EncryptionKeyArn" not in vault

    def test_a_queue_has_one_encryption_and_a_table_says_which(self, template: Template) -> None:
        for queue in template.of_type("AWS::SQS::Queue").values():
            assert "SqsManagedSseEnabled" not in resolved(queue, {"HasKey"})
            assert resolved(queue, set())["SqsManagedSseEnabled"] is True
        for table in template.of_type("AWS::DynamoDB::Table").values():
            assert resolved(table, {"HasKey"})["SSESpecification"]["SSEType"] == "KMS"
            assert resolved(table, set())["SSESpecification"] == {"SSEEnabled": True}


class TestKeyPolicy:
    """docs/deploy.md has the policy that the key needs."""

    @pytest.fixture
    def statements(self) -> list[dict[str, Any]]:
        text = (
            (ROOT / "docs/deploy.md")
            .read_text()
            .partition("## Permission boundary, tags and encryption key")[2]
        )
        (policy,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
        found: list[dict[str, Any]] = json.loads(policy)["Statement"]
        return found

    def test_callers_may_use_it_through_each_service(
        self, template: Template, statements: list[dict[str, Any]]
    ) -> None:
        (through,) = (each for each in statements if "kms:ViaService" in str(each.get("Condition")))
        services = {each.split(".")[0] for each in through["Condition"]["StringEquals"]["kms:ViaService"]}
        assert services == {BY_SERVICE[kind] for kind in BY_SERVICE if template.of_type(kind)}
        assert through["Condition"]["StringEquals"]["kms:CallerAccount"] == "ACCOUNT"

    def test_services_may_use_it_that_do_so_by_themselves(
        self, template: Template, statements: list[dict[str, Any]]
    ) -> None:
        allowed = {each["Principal"]["Service"] for each in statements if "Service" in each["Principal"]}
        # CloudFront's logs come by a service of their own
        assert allowed == {*OF_SERVICES.values(), "delivery.logs.amazonaws.com"}
        assert all(template.of_type(kind) for kind in OF_SERVICES)

    def test_every_type_with_a_key_is_in_one_of_them(self) -> None:
        assert {*KEYED, "AWS::S3::Bucket"} <= {*BY_SERVICE, *OF_SERVICES}
