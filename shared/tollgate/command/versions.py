"""The published versions of a stack's functions: the version in use, and the previous one.

API Gateway calls a function through its alias `live`. A deployment publishes a version and points the alias
at it. The previous version stays (`VersionDeletionPolicy: Retain`), and a rollback points the alias at it.
`prune-versions` deletes older versions (decision 0005).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tollgate.command.checks import Stack
from tollgate.command.errors import CommandError

ALIAS = "live"
# A stream on a replaced version ends within 15 minutes.
SETTLED = timedelta(minutes=20)
# More would be the deployments of years. Lambda lists 50 per page.
MAX_VERSIONS = 2_000
# A version in another state has no snapshot, or its creation failed.
READY = {"Active", "Inactive"}


@dataclass(frozen=True, slots=True)
class Version:
    """A published version: its number, and when its code and settings were deployed."""

    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Published:
    """A function with its alias. The last deployment of the stack published the version `deployed`."""

    name: str
    deployed: int
    live: int
    shared_with: frozenset[int]
    """Versions that receive a part of the requests, as in a canary."""
    revision: str
    versions: tuple[Version, ...]
    """The oldest first."""

    @property
    def before(self) -> int | None:
        """Return the version before the deployed one; `None` if it is deleted."""
        return max((each.number for each in self.versions if each.number < self.deployed), default=None)

    def prunable(self, now: datetime) -> list[int]:
        """Return versions that are not needed by an alias, a rollback or a running stream.

        They include versions of failed deployments, whose numbers are above the deployed one.
        """
        needed = {self.live, self.deployed, self.before, *self.shared_with}
        followed = dict(zip(self.versions, self.versions[1:], strict=False))
        return [
            version.number
            for version in self.versions
            if version.number not in needed
            and (version not in followed or now - followed[version].at > SETTLED)
        ]


def published(stack: Stack) -> list[Published]:
    """Return every function of the stack that is called through an alias, by name.

    Raises `CommandError` during a change of the stack, because the live versions are not final.
    """
    name = stack.facts.name
    (found,) = stack.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    if found.get("StackStatus", "").endswith("_IN_PROGRESS"):
        raise CommandError(
            f"The stack {name} is being updated. To undo a running deployment or a canary: "
            f"aws cloudformation cancel-update-stack --stack-name {name}"
        )
    deployed = dict(map(_named, stack.physical("AWS::Lambda::Version").values()))
    aliases = dict(map(_named, stack.physical("AWS::Lambda::Alias").values()))
    client = stack.client("lambda")
    return [_published(client, function, int(deployed[function])) for function in sorted(aliases)]


def _named(arn: str) -> tuple[str, str]:
    """Return function and qualifier of an ARN, `…:function:NAME:QUALIFIER`."""
    function, qualifier = arn.rsplit(":", 2)[1:]
    return function, qualifier


def _published(client: Any, function: str, deployed: int) -> Published:
    alias = client.get_alias(FunctionName=function, Name=ALIAS)
    weights = alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {})
    return Published(
        name=function,
        deployed=deployed,
        live=int(alias["FunctionVersion"]),
        shared_with=frozenset(map(int, weights)),
        revision=alias["RevisionId"],
        versions=tuple(sorted(_versions(client, function), key=lambda each: each.number)),
    )


def _versions(client: Any, function: str) -> Iterator[Version]:
    pages = client.get_paginator("list_versions_by_function")
    for page in pages.paginate(FunctionName=function, PaginationConfig={"MaxItems": MAX_VERSIONS}):
        for each in page["Versions"]:
            if each["Version"] != "$LATEST":
                yield Version(int(each["Version"]), _moment(each["LastModified"]))


def _moment(text: str) -> datetime:
    """Return the time of Lambda's `2026-11-22T12:00:00.000+0000`."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def point_at(client: Any, function: Published, version: int) -> None:
    """Point the alias at a version, for all requests. Raises `CommandError` if it is not ready."""
    state = client.get_function_configuration(FunctionName=function.name, Qualifier=str(version))["State"]
    if state not in READY:
        raise CommandError(f"{function.name}:{version} cannot run: its state is {state}.")
    client.update_alias(
        FunctionName=function.name,
        Name=ALIAS,
        FunctionVersion=str(version),
        RoutingConfig={"AdditionalVersionWeights": {}},
        # Refused if the alias was changed since it was read
        RevisionId=function.revision,
    )
