"""What an act left in moto, in words that two runs of it have in common: ids and secrets are masked."""

import json
import re
from collections.abc import Mapping
from typing import Any

from local.machine.stack import Stack
from tests.support.moto_stack import messages_of, objects_of, rows_of
from tollgate.kit.dynamodb.rows import from_attributes

_RANDOM = re.compile(
    r"""
    [0-9A-HJKMNP-TV-Z]{26}              # a ULID
    | [0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}
    | [0-9a-f]{12,}                     # a digest
    | [0-9a-f]{8}(?=-\d+\.)             # a run of a copy
    | tg_live_\w+ | whsec_[\w+/=]+
    # A token in base64: digits beside letters, or, where chance left out the digits, both cases.
    | (?<![\w-])(?=[\w-]*[A-Za-z])(?:(?=[\w-]*\d)|(?=[\w-]*[A-Z])(?=[\w-]*[a-z]))[\w-]{20,}(?![\w-])
    """,
    re.VERBOSE,
)
# By the id that a row happens to have.
_BY_CHANCE = {"due_shard", "prefix", "old_prefix"}
# A slot in a lane ends by itself after a minute, also one that a late request took.
_PASSING = {"WebhookLanesTable"}


def masked(value: Any) -> Any:
    """Return a value with a `*` for all that is random in its texts and names."""
    if isinstance(value, str):
        return _RANDOM.sub("*", value)
    if isinstance(value, Mapping):
        named = [(masked(name), masked(one)) for name, one in value.items() if name not in _BY_CHANCE]
        return sorted(named, key=_text)
    if isinstance(value, set | frozenset):
        return sorted(map(masked, value))
    if isinstance(value, list | tuple):
        return [masked(one) for one in value]
    return value


def left_behind(stack: Stack) -> dict[str, list[str]]:
    """Return the rows of each table, the messages of each queue and the objects of each bucket.

    A message that is there twice counts once: standard queues deliver at least once.
    """
    found: dict[str, list[str]] = {}
    for name, ref in stack.refs.items():
        if name.endswith("Table"):
            found[name] = sorted(_text(masked(from_attributes(row))) for row in rows_of(ref))
        elif name.endswith("Queue"):
            bodies = messages_of(ref.rpartition("/")[2])
            found[name] = sorted({_text(masked(json.loads(body))) for body in bodies})
        elif name.endswith("Bucket"):
            found[name] = sorted(_text(masked(one)) for one in objects_of(ref))
    return {name: rows for name, rows in found.items() if rows and name not in _PASSING}


def _text(value: Any) -> str:
    return json.dumps(value, default=str, sort_keys=True)
