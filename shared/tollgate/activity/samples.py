"""Requests as samples of the usage chart, if the daily roll-up cannot answer. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tollgate.activity.found import Found, status_of
from tollgate.kit.clock import utc_day
from tollgate.ledger.attribution import PROJECT, TOKEN, USER
from tollgate.tasks.models import TaskStatus
from tollgate.usage.counts import COUNTED, KEY, MEMBER, MODEL, Counts, counts_of
from tollgate.web.usage_chart import Sample
from tollgate.web.usage_query import ANY_TAG, UsageQuery


def samples_of(found: Iterable[Found], group_of: Callable[[Found], str]) -> list[Sample]:
    """Return a sample for each request. Its refund counts on the day of the request."""
    samples = []
    for each in found:
        entry, task, status = each.entry, each.task, status_of(each)
        counts = counts_of(entry) if entry.kind in COUNTED else Counts(requests=1)
        latency_ms = entry.latency_ms
        if task is not None:
            counts = counts._replace(refunded_micro_usd=task.refunded_micro_usd)
            if task.finished_at_ms is not None:
                latency_ms = task.finished_at_ms - task.created_at_ms
        errors = int(status in (TaskStatus.FAILED, TaskStatus.EXPIRED))
        samples.append(Sample(utc_day(entry.created_at_ms), group_of(each), counts, errors, latency_ms))
    return samples


def grouping(query: UsageQuery, member_of_keys: Mapping[str, str]) -> Callable[[Found], str]:
    """Return the function that names the group of a request; a request without a value has the group ""."""
    fields: dict[str, Callable[[Any], str | None]] = {
        MODEL: lambda entry: entry.model,
        KEY: lambda entry: entry.key_id,
        MEMBER: lambda entry: member_of_keys.get(entry.key_id or ""),
        PROJECT: lambda entry: entry.project,
        USER: lambda entry: entry.user,
        TOKEN: lambda entry: entry.token,
        ANY_TAG: lambda entry: (entry.tags or {}).get(query.tag),
    }
    return lambda found: fields[query.group](found.entry) or ""
