"""Creates the parts of `functions/run_response`: the same as for text, in one event loop per thread."""

from dataclasses import dataclass
from functools import cache

from tollgate.composition import event_loop
from tollgate.composition import text as text_parts
from tollgate.composition.event_loop import close

__all__ = ["RunResponseSettings", "close", "run", "settings"]


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


def run(account_id: str, response_id: str) -> None:
    """Run one background response to its end."""
    event_loop.run(_run(account_id, response_id))


async def _run(account_id: str, response_id: str) -> None:
    parts = await text_parts.text(settings)
    await parts.background.run(account_id, response_id)
    # The process may be frozen until its next message.
    await parts.service.finishing.wait()
