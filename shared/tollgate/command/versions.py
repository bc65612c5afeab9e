"""The published versions of a stack's functions: which one answers, and the way back to the one before.

API Gateway calls a function through its alias `live`. A deployment publishes a version and points the alias
at it. The version before stays (`VersionDeletionPolicy: Retain`); the way back is to point the alias at that.
`prune-versions` deletes what is older (decision 0049).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tollgate.command.errors import CommandError
from tollgate.command.examining import Stack

ALIAS = "live"
# A stream on a version that was replaced ends within 15 minutes.
SETTLED = timedelta(minutes=20)
# More would be deployments of years; Lambda answers 50 at a time.
MAX_VERSIONS = 2_000
# A version in another state has no snapshot yet, or never will.
READY = {"Active", "Inactive"}


@dataclass(frozen=True, slots=True)
class Version:
    """A published version: its number, and when its code and settings were deployed."""

    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Published:
    """A function with its alias: `deployed` is the version that the stack's last deployment published."""

    name: str
    deployed: int
    live: int
    shared_with: frozenset[int]
    """Versions that get a part of the requests, as in a canary."""
    revision: str
    versions: tuple[Version, ...]
    """The oldest first."""

    @property
    def before(self) -> int | None:
        """The version before the deployed one, if it is still there."""
        return max((each.number for each in self.versions if each.number < self.deployed), default=None)

    def prunable(self, now: datetime) -> list[int]:
        """Return the versions that nothing needs: no alias, no way back, no stream that still runs.

        Also those that a deployment published that failed: their numbers are above the deployed one.
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

    Raises `CommandError` while the stack is being changed: who is live is not settled then.
    """
    name = stack.facts.name
    (found,) = stack.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    if found.get("StackStatus", "").endswith("_IN_PROGRESS"):
        raise CommandError(
            f"The stack {name} is being changed. To take a deployment back that still runs, a canary too: "
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
    """Return the moment of Lambda's `2026-11-22T12:00:00.000+0000`."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def point_at(client: Any, function: Published, version: int) -> None:
    """Point the alias at a version, for all requests. Raises `CommandError` for one that cannot answer."""
    state = client.get_function_configuration(FunctionName=function.name, Qualifier=str(version))["State"]
    if state not in READY:
        raise CommandError(f"{function.name}:{version} cannot answer: its state is {state}.")
    client.update_alias(
        FunctionName=function.name,
        Name=ALIAS,
        FunctionVersion=str(version),
        RoutingConfig={"AdditionalVersionWeights": {}},
        # Refused if somebody else changed the alias since it was read
        RevisionId=function.revision,
    )
