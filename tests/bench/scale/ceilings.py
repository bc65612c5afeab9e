"""Every ceiling, of one account, a stack and a region: what a second of load takes of it, what raises it."""

from collections.abc import Mapping
from dataclasses import dataclass

from local.template import Template
from tests.bench.scale import load
from tests.bench.scale.load import Part
from tests.bench.scale.quotas import QUOTAS
from tollgate.kit.dynamodb.shards import DUE_SHARDS
from tollgate.ledger.holds import MAX_HOLDS
from tollgate.ledger.rate import BASE
from tollgate.ledger.repository import MAX_OPEN_TASKS, MAX_RUNNING_TASKS
from tollgate.ledger.wallets import HOLDS_PER_WALLET, MAX_WALLETS
from tollgate.tasks.sweep import MAX_DUE_PER_SHARD
from tollgate.webhooks.repository import MAX_IN_LANE

ACCOUNT, STACK, REGION = "account", "stack", "region"
MINUTE_S = 60
# By `make bench-account`, with physics: the tables of docs/performance.md.
ONE_ROW_TASKS, WALLET_TASKS = 20, 100
ONE_ROW_CHATS = 10
# A change of a time that an index is sorted by takes an entry out and puts one in.
INDEX_CHANGE_UNITS = 2
# Partitions, and so shards of its stream, that a table begins with (INFERRED from its first 4,000 units).
STREAM_SHARDS = 4
ENTRIES_PER_TASK, ENTRIES_PER_CHAT = 1, 1


@dataclass(frozen=True, slots=True)
class Ceiling:
    """So much of `unit` there is, `used` of it at today's load, and `raised` by what, at which cost."""

    scope: str
    name: str
    most: float
    unit: str
    used: float
    raised: str

    @property
    def reached_at(self) -> float:
        """How many times today's load reach it."""
        return self.most / self.used


def number(template: Template, parameter: str) -> int:
    """Return the default of a parameter of the template."""
    return int(template.source["Parameters"][parameter]["Default"])


def ceilings(template: Template, parts: Mapping[str, Part]) -> list[Ceiling]:
    """Return all of them; those of an account as if the whole load were its own."""
    rates = load.a_second()
    return [*_of_account(template, rates), *_of_stack(template, rates, parts), *_of_region(rates, parts)]


def _of_account(template: Template, rates: Mapping[str, float]) -> list[Ceiling]:
    text = rates["chat"] * load.CHAT_S
    minute = MINUTE_S * (rates["create"] + rates["chat"])
    wallets = HOLDS_PER_WALLET * MAX_WALLETS
    limits = "`tollgate accounts limits ACCOUNT"
    rows = [
        (
            "text at once, default limit",
            MAX_HOLDS,
            "requests",
            text,
            f"{limits} --text-at-once` up to {wallets:,}: one row for {HOLDS_PER_WALLET} requests; "
            "free, except two read units per row when a balance is shown",
        ),
        ("text at once, with wallets", wallets, "requests", text, "a second account for the company"),
        (
            "chats of 10 s on a key with a spending cap (one row)",
            ONE_ROW_CHATS,
            "chats/s",
            rates["chat"],
            "keys without a cap, or a second account",
        ),
        (
            "requests, default limit",
            number(template, "RequestsPerMinute"),
            "a minute",
            minute,
            f"{limits} --requests-per-minute` up to {BASE - 1:,}; or `RequestsPerMinute`; free",
        ),
        (
            "running tasks, default limit",
            MAX_RUNNING_TASKS,
            "tasks",
            load.running_tasks(rates),
            f"{limits} --running-tasks`; free; further tasks wait",
        ),
        (
            "open tasks, default limit",
            MAX_OPEN_TASKS,
            "tasks",
            load.running_tasks(rates),
            f"{limits} --open-tasks`; free",
        ),
    ]
    return [Ceiling(ACCOUNT, *cells) for cells in rows] + _of_account_at_work(rates)


def _of_account_at_work(rates: Mapping[str, float]) -> list[Ceiling]:
    """Return what bounds an account's pace, whatever it may have at once."""
    entries = rates["create"] * ENTRIES_PER_TASK + rates["chat"] * ENTRIES_PER_CHAT
    rows = [
        (
            "tasks from create to end, one row",
            ONE_ROW_TASKS,
            "tasks/s",
            rates["create"],
            "`tollgate accounts limits ACCOUNT --text-at-once 480`: 24 rows; free",
        ),
        (
            "tasks from create to end, 24 rows",
            WALLET_TASKS,
            "tasks/s or more",
            rates["create"],
            "a second account",
        ),
        (
            "ledger entries (an index sorted by time cannot be split)",
            QUOTAS["row"].most,
            "entries/s",
            entries,
            "a second account",
        ),
        (
            "webhooks to servers with a response time of 0.3 s",
            MAX_IN_LANE / 0.4,
            "deliveries/s",
            rates["deliver"],
            "`MAX_IN_LANE` (webhooks/repository.py): more workers then wait for one customer",
        ),
    ]
    return [Ceiling(ACCOUNT, *cells) for cells in rows]


def _of_stack(template: Template, rates: Mapping[str, float], parts: Mapping[str, Part]) -> list[Ceiling]:
    sources = template.of_type("AWS::Lambda::EventSourceMapping")
    lanes = STREAM_SHARDS * int(sources["DispatchChangesSource"]["ParallelizationFactor"])
    rows = [
        (
            "requests",
            number(template, "RequestsPerSecond"),
            "requests/s",
            load.requests(rates),
            "`RequestsPerSecond`, up to the region's; free",
        ),
        (
            "steps of tasks: submits and copies of videos",
            number(template, "TaskConcurrency"),
            "workers",
            load.step_workers(rates, parts),
            f"`TaskConcurrency`, up to {QUOTAS['mapping'].most:,.0f}; pay per use",
        ),
        (
            "polls of tasks, ten to a worker, and copies of images",
            number(template, "PollConcurrency"),
            "workers",
            load.poll_workers(rates, parts),
            f"`PollConcurrency`, up to {QUOTAS['mapping'].most:,.0f}; pay per use",
        ),
        (
            "webhooks",
            int(sources["DeliverWebhookSource"]["ScalingConfig"]["MaximumConcurrency"]),
            "workers",
            rates["deliver"] * parts["deliver"].billed_s,
            "`MaximumConcurrency` of DeliverWebhookSource; pay per use",
        ),
        (
            "thumbnails",
            int(sources["MakeThumbnailsSource"]["ScalingConfig"]["MaximumConcurrency"]),
            "workers",
            rates["thumbnail"] * parts["thumbnail"].billed_s,
            "`MaximumConcurrency` of MakeThumbnailsSource; pay per use; otherwise pages show the originals",
        ),
        (
            "entries to the statistics, each with a different account and day",
            # Of a chat, which takes longer and is most of them.
            STREAM_SHARDS / parts["count chat"].billed_s,
            "entries/s",
            rates["count usage"] + rates["count chat"],
            "`ParallelizationFactor` of RecordUsageSource up to 10; free; up to a day late loses nothing",
        ),
        (
            "task changes sent to queues",
            lanes / parts["dispatch"].billed_s,
            "changes/s",
            rates["dispatch"] + rates["dispatch end"],
            "automatic, with the partitions of the table; `ParallelizationFactor` up to 10; free",
        ),
    ]
    return [Ceiling(STACK, *cells) for cells in rows] + _of_due_indexes(rates)


def _of_due_indexes(rates: Mapping[str, float]) -> list[Ceiling]:
    """Return what the indexes of `wake_at` carry, and the sweeper that reads them."""
    units = DUE_SHARDS * QUOTAS["row"].most / INDEX_CHANGE_UNITS
    rows = [
        (
            "holds in the index of due rows",
            units / 2,
            "chats/s",
            rates["chat"],
            f"`DUE_SHARDS` (kit/dynamodb/shards.py, {DUE_SHARDS}): "
            "the sweeper then makes more queries per minute",
        ),
        (
            "tasks in the index of due rows",
            units,
            "steps/s",
            rates["poll"] + rates["submit"] + rates["finish"],
            f"`DUE_SHARDS` ({DUE_SHARDS})",
        ),
        (
            "late tasks sent again",
            DUE_SHARDS * MAX_DUE_PER_SHARD / MINUTE_S,
            "tasks/s",
            rates["create"],
            "`MAX_DUE_PER_SHARD` (tasks/sweep.py); matters only if every task is late",
        ),
    ]
    return [Ceiling(STACK, *cells) for cells in rows]


def _of_region(rates: Mapping[str, float], parts: Mapping[str, Part]) -> list[Ceiling]:
    units, functions = load.write_units(rates, parts), load.at_once(rates, parts)
    text_at_once = rates["chat"] * load.CHAT_S
    files = rates["finish"]
    rows = [
        ("gateway", load.requests(rates), ""),
        ("lambda", functions, ""),
        (
            "lambda_growth",
            text_at_once / 2,
            " faster growth is throttled with 503 (assumed: half the load within 10 s)",
        ),
        ("new_table", units, ""),
        ("table", units, ""),
        ("in_flight", load.running_tasks(rates), " (as if all tasks were processed at once)"),
        ("s3_put", files, ""),
        ("s3_get", files, ""),
        ("secrets", functions / (5 * MINUTE_S), " each process reads its secret every 5 minutes"),
    ]
    found = []
    for name, used, more in rows:
        quota = QUOTAS[name]
        found.append(
            Ceiling(REGION, quota.name, quota.most, quota.unit, used, (quota.rises or "not possible;") + more)
        )
    return found
