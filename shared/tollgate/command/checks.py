"""The subject and the findings of `tollgate doctor`, shared by its checks of stack and account."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tollgate.command.target import StackFacts


class State(StrEnum):
    """The result of a check."""

    GOOD = "good"
    ACT = "act"
    UNKNOWN = "unknown"  # The check was not possible: a permission is missing, or AWS has no data.


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result for one subject: its state, and the action if the state is not good."""

    about: str
    state: State
    said: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack under examination: its description by CloudFormation, and the SDK's clients.

    A new stack is not deployed yet. Its facts are the parameters of the planned deployment.
    """

    facts: StackFacts
    client: Callable[[str], Any]
    is_new: bool = False

    @property
    def is_prod(self) -> bool:
        """Return whether the stack serves customers."""
        return self.facts.parameters.get("Stage") == "prod"

    @property
    def live(self) -> set[str]:
        """Return the live providers."""
        return set(self.parameter("LiveProviders").split(",")) - {"none", ""}

    def parameter(self, name: str) -> str:
        """Return a parameter, or an empty text if the stack lacks it."""
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


Check = Callable[[Stack], Iterator[CheckResult]]


def run_checks(stack: Stack, checks: dict[str, Check]) -> Iterator[CheckResult]:
    """Yield the findings of all checks, in order.

    A check that fails yields its reason and does not stop the others.
    """
    for about, check in checks.items():
        try:
            yield from check(stack)
        except (ClientError, BotoCoreError) as exc:
            yield CheckResult(about, State.UNKNOWN, " ".join(str(exc).split()))
