"""Examples on the pages of models: make, list, clear."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tollgate.catalog.models import Model
from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack, Yes
from tollgate.command.service import service_of
from tollgate.command.terminal import confirm, print_json, print_table
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.money import dollars
from tollgate.ledger.attribution import NONE
from tollgate.ledger.callers import Caller
from tollgate.reference.generations import example_input
from tollgate.tasks.examples import MAX_EXAMPLES
from tollgate.tasks.sharing import share_id_of
from tollgate.web.prompts import PROMPTS, prompt_field

if TYPE_CHECKING:
    from tollgate.composition.command import Operator

# Longer than the deadline of most models; a later run of the command publishes what ends after it.
MAX_WAIT_MS = 30 * 60 * MS_PER_S
LOOK_S = 2

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An example to make: its body for a create, its price in cents, and its idempotency key."""

    model_id: str
    body: dict[str, Any]
    cents: int
    key: str


@cli.command()
def make(
    *,
    account: Annotated[str, typer.Option(help="The operator's own account, usr_…, which pays.")],
    model: Annotated[list[str] | None, typer.Option(help="Only these models. Default: all.")] = None,
    each: Annotated[int, typer.Option(min=1, max=len(PROMPTS["IMAGE"]), help="Examples of each model.")] = 1,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Run models with example prompts, share the results, and show them on the pages of the models.

    Models that have so many examples already are left out. A repeat within a day continues an
    interrupted run, and pays for nothing twice.
    """
    service = service_of(stack, local)
    account_id = service.account_console.get(account).account_id
    wanted = list(_wanted(service, account_id, model, each))
    total = dollars(sum(one.cents for one in wanted))
    if wanted:
        confirm(f"Make {len(wanted)} examples for {total}, paid by {account_id}?", yes=yes, as_json=as_json)
    running = {_created(service, account_id, one): one.model_id for one in wanted}
    rows = list(_published(service, account_id, running))
    if as_json:
        print_json({"examples": rows})
        return
    print_table("", rows, "model", "taskId", "status")
    typer.echo(f"{sum(row['status'] == 'published' for row in rows)} of {len(rows)} published")


@cli.command("list")
def list_(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """List the number of examples of each model."""
    counts = service_of(stack, local).examples.counts()
    rows = [{"model": name, "examples": count} for name, count in sorted(counts.items())]
    if as_json:
        print_json({"models": rows})
        return
    print_table("", rows, "model", "examples")
    typer.echo(f"{len(rows)} models have examples, at most {MAX_EXAMPLES} each")


@cli.command()
def clear(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model's id.")],
    stack: Stack = None,
    local: Local = LOCAL,
) -> None:
    """Remove the examples of a model from its page. The tasks and their links stay."""
    service_of(stack, local).examples.clear(model)
    typer.echo(f"{model} has no examples.")


def _wanted(service: "Operator", account_id: str, names: list[str] | None, each: int) -> Iterator[Wanted]:
    """Return the examples that are missing. Raises `CommandError` for a name that is no media model."""
    media = {one.id: one for one in service.api.catalog.catalog().media_models()}
    if unknown := set(names or ()) - media.keys():
        raise CommandError(f"No media model is named {', '.join(sorted(unknown))}.")
    known = service.examples.counts()
    for one in media.values():
        if (names and one.id not in names) or (not names and "test" in one.tags):
            continue
        for number in range(known.get(one.id, 0), each):
            found = _priced(service, account_id, one, number)
            if found is not None:
                yield found


def _priced(service: "Operator", account_id: str, model: Model, number: int) -> Wanted | None:
    """Return an example with its price; `None` for a model that needs more than a prompt."""
    field = prompt_field(service.api.listing.model_view(model.id)["params"])
    given = example_input(model)
    # An address stands for a file that the customer has.
    if field is None or given is None or field not in given or "://" in str(given):
        return None
    body = {"model": model.id, "input": {**given, field: PROMPTS[model.media_type][number]}}
    try:
        cents = int(service.api.tasks.estimate(account_id, body, key=None)["price"])
    except InvalidInputError:
        return None
    return Wanted(model.id, {**body, "maxCostCents": cents}, cents, f"example-{model.id}-{number}")


def _created(service: "Operator", account_id: str, one: Wanted) -> str:
    tasks = service.api.tasks
    return str(tasks.create(account_id, one.body, one.key, key=None, attribution=NONE)["taskId"])


def _published(service: "Operator", account_id: str, running: dict[str, str]) -> Iterator[dict[str, str]]:
    """Wait for the tasks, and publish each that has files; return a row for each."""
    until_ms = service.clock.now_ms() + MAX_WAIT_MS
    left, caller = dict(running), Caller.of_account(account_id)
    while left and service.clock.now_ms() < until_ms:
        for task_id, model_id in list(left.items()):
            task = service.api.reader.find(caller, task_id)
            if not task.ended:
                continue
            del left[task_id]
            if task.files:
                shared = service.sharing.share(caller, task_id, service.who, with_input=True)
                service.examples.add(model_id, share_id_of(shared) or "")
            yield {"model": model_id, "taskId": task_id, "status": "published" if task.files else task.status}
        if left:
            time.sleep(LOOK_S)
    for task_id, model_id in left.items():
        yield {"model": model_id, "taskId": task_id, "status": "still running"}
