"""What `tollgate doctor` looks at, and what it finds: shared by its checks of stack and account."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.command.place import StackFacts


class State(StrEnum):
    """What a check found."""

    GOOD = "good"
    ACT = "act"
    UNKNOWN = "unknown"  # It could not be asked: a right is missing, or AWS does not say.


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where that is not good."""

    about: str
    state: State
    said: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack that is looked at: what CloudFormation says of it, and the SDK's clients.

    Before the first deployment it is new: its facts are the parameters that it would get.
    """

    facts: StackFacts
    client: Callable[[str], Any]
    is_new: bool = False

    @property
    def is_prod(self) -> bool:
        """Whether it serves customers."""
        return self.facts.parameters.get("Stage") == "prod"

    @property
    def live(self) -> set[str]:
        """The providers that are live."""
        return set(self.parameter("LiveProviders").split(",")) - {"none", ""}

    def parameter(self, name: str) -> str:
        """Return a parameter, empty where the stack has none of that name."""
        return self.facts.parameters.get(name, "")

    def physical(self, kind: str) -> dict[str, str]:
        """Return the names of the stack's resources of a type, by logical id."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        return {
            each["LogicalResourceId"]: each["PhysicalResourceId"]
            for page in pages.paginate(StackName=self.facts.name)
            for each in page["StackResourceSummaries"]
            if each["ResourceType"] == kind and "PhysicalResourceId" in each
        }


Check = Callable[[Stack], Iterator[Finding]]


def examined(stack: Stack, checks: dict[str, Check]) -> Iterator[Finding]:
    """Return what every check finds, in order; one that cannot be made says why, and stops no other."""
    for about, check in checks.items():
        try:
            yield from check(stack)
        except (ClientError, BotoCoreError) as exc:
            yield Finding(about, State.UNKNOWN, " ".join(str(exc).split()))
