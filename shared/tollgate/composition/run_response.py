"""Creates the parts of `functions/run_response`: the same as for text, in one event loop per thread."""

import asyncio
import threading
from dataclasses import dataclass
from functools import cache

from tollgate.composition import text as text_parts


@dataclass(frozen=True, kw_only=True)
class RunResponseSettings(text_parts.TextSettings):
    """Settings of `functions/run_response`, which reads no keys and has no audit log."""

    api_keys_table: str = ""
    audit_table: str = ""
    usage_table: str = ""
    run_response_function: str = ""


@cache
def settings() -> RunResponseSettings:
    """Return the settings."""
    return RunResponseSettings.from_env()


_threads = threading.local()


def run(account_id: str, response_id: str) -> None:
    """Run one background response to its end."""
    _runner().run(_run(account_id, response_id))


def close() -> None:
    """Close the connections and the loop of this thread."""
    runner = _runner()
    runner.run(text_parts.close())
    runner.close()
    del _threads.runner


async def _run(account_id: str, response_id: str) -> None:
    parts = await text_parts.text(settings)
    await parts.background.run(account_id, response_id)
    # The process may be frozen until its next message.
    await parts.service.finishing.wait()


def _runner() -> asyncio.Runner:
    """Return the runner of this thread. A connection belongs to its loop, so the loop stays."""
    if not hasattr(_threads, "runner"):
        _threads.runner = asyncio.Runner()
    runner: asyncio.Runner = _threads.runner
    return runner
