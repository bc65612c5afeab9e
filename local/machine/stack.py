"""Creates the resources of template.yaml in the emulator: tables, queues, the bucket, the secrets.

Key schemas, indexes, streams, timeouts and redrive policies come only from the template. Functions are not
deployed: their environment is resolved here, and the pump calls their handlers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from local.processes import LocalError
from local.template import Template

if TYPE_CHECKING:
    from local.machine.clients import Clients

_TABLE_PROPERTIES = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "StreamSpecification",
)


@dataclass
class Stack:
    """The template's resources in the emulator.

    `parameters` are the template's parameters, whose defaults are used if missing. `overrides` replace values
    that one machine lacks, such as the address of the distribution.
    """

    template: Template
    clients: "Clients"
    parameters: dict[str, str]
    overrides: dict[str, str] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    """The value of `Ref` by logical id: a table's name, a queue's URL, …"""
    attributes: dict[str, str] = field(default_factory=dict)
    """The value of `Fn::GetAtt`, by `LogicalId.Attribute`."""

    def create(self, secrets: Mapping[str, str]) -> None:
        """Create every resource that the functions use. `secrets` has the contents of some secrets.

        Resources that were kept from an earlier run remain. Raises `LocalError` if a kept table differs from
        the template.
        """
        for name, table in self.template.of_type("AWS::DynamoDB::Table").items():
            self._create_table(name, table)
        queues = self.template.of_type("AWS::SQS::Queue")
        # A queue refers to its dead-letter queue, so dead-letter queues are first.
        for name in sorted(queues, key=lambda name: "RedrivePolicy" in queues[name]):
            self._create_queue(name, queues[name])
        for name in self.template.of_type("AWS::S3::Bucket"):
            self.refs[name] = physical_name(name)
            self.clients.s3.create_bucket(Bucket=self.refs[name])
        for name, properties in self.template.of_type("AWS::SecretsManager::Secret").items():
            # A secret that AWS would generate is generated here too.
            arn = self._create_secret(name, secrets.get(name), properties.get("SecretString"))
            self.refs[name] = arn
            self.attributes[f"{name}.Id"] = arn

    def environment(self) -> dict[str, str]:
        """Return the environment of all functions together, because one process runs them all.

        Raises `ValueError` if two functions have different values for one variable.
        """
        found: dict[str, str] = {}
        for function in self.template.functions():
            for name, value in self.template.variables(function).items():
                resolved = self.overrides.get(name) or self.resolve(value)
                if found.setdefault(name, resolved) != resolved:
                    raise ValueError(f"{name} differs between functions")
        return {name: value for name, value in found.items() if value}

    def resolve(self, value: Any) -> str:
        """Return the value of an intrinsic function, or an empty text if one machine lacks it."""
        match value:
            case {"Ref": str(name)}:
                return self.refs.get(name) or self.parameters.get(name) or self._default(name)
            case {"Fn::GetAtt": [str(name), str(attribute)]}:
                return self.attributes.get(f"{name}.{attribute}", "")
            case {"Fn::If": ["IsLocal", there, _]}:
                return self.resolve(there)
            case dict():
                return ""
            case _:
                return str(value)

    def _default(self, parameter: str) -> str:
        return str(self.template.source["Parameters"].get(parameter, {}).get("Default", ""))

    def _create_table(self, name: str, table: dict[str, Any]) -> None:
        self.refs[name] = physical_name(name)
        wanted: dict[str, Any] = {key: table[key] for key in _TABLE_PROPERTIES if key in table}
        if "StreamSpecification" in wanted:
            wanted["StreamSpecification"] = {"StreamEnabled": True, **wanted["StreamSpecification"]}
        made = self._table(self.refs[name], wanted)
        self.attributes[f"{name}.Arn"] = made["TableArn"]
        if "LatestStreamArn" in made:
            self.attributes[f"{name}.StreamArn"] = made["LatestStreamArn"]
        if "TimeToLiveSpecification" in table:
            self.clients.dynamodb.update_time_to_live(
                TableName=self.refs[name],
                TimeToLiveSpecification={
                    "Enabled": True,
                    "AttributeName": table["TimeToLiveSpecification"]["AttributeName"],
                },
            )

    def _table(self, physical: str, wanted: dict[str, Any]) -> Any:
        dynamodb = self.clients.dynamodb
        try:
            return dynamodb.create_table(TableName=physical, **wanted)["TableDescription"]
        except dynamodb.exceptions.ResourceInUseException:
            kept: Any = dynamodb.describe_table(TableName=physical)["Table"]
        if _keys(kept) != _keys(wanted):
            raise LocalError(f"{physical} was kept by another version of the template: rm -r .local/kept")
        return kept

    def _create_secret(self, name: str, filled_in: str | None, declared: str | None) -> str:
        """Return the ARN of a secret. A kept secret remains, except for contents that this run provides."""
        secrets = self.clients.secrets
        try:
            content = filled_in or declared or token_urlsafe()
            return secrets.create_secret(Name=physical_name(name), SecretString=content)["ARN"]
        except secrets.exceptions.ResourceExistsException:
            if filled_in:
                secrets.put_secret_value(SecretId=physical_name(name), SecretString=filled_in)
            return secrets.describe_secret(SecretId=physical_name(name))["ARN"]

    def _create_queue(self, name: str, queue: dict[str, Any]) -> None:
        attributes: dict[Any, str] = {
            key: str(queue[key]) for key in ("VisibilityTimeout", "MessageRetentionPeriod") if key in queue
        }
        if "RedrivePolicy" in queue:
            redrive = queue["RedrivePolicy"]
            target = self.resolve(redrive["deadLetterTargetArn"])
            attributes["RedrivePolicy"] = json.dumps({**redrive, "deadLetterTargetArn": target})
        url = self.clients.sqs.create_queue(QueueName=physical_name(name))["QueueUrl"]
        # Set after the creation, because SQS refuses to create an existing queue with other attributes.
        if attributes:
            self.clients.sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)
        self.refs[name] = url
        found = self.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        self.attributes[f"{name}.Arn"] = found["Attributes"]["QueueArn"]


def _keys(table: dict[str, Any]) -> list[Any]:
    """Return the keys of a table and of its indexes, for a comparison."""
    indexes = table.get("GlobalSecondaryIndexes", [])
    return [table["KeySchema"], sorted((index["IndexName"], str(index["KeySchema"])) for index in indexes)]


def physical_name(logical_id: str) -> str:
    """Return the name of a resource in the emulator. Buckets require lower case."""
    return f"tollgate-{logical_id.lower()}"
