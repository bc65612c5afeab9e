"""The `claude` command of Claude Code, from the packages of `tests/clients/node`."""

import json
import os
from pathlib import Path
from typing import Any

from local.template import ROOT
from tests.support.missing import missing
from tests.support.node_project import installed
from tests.support.programs import output_of

PROJECT = Path(ROOT) / "tests/clients/node"
RUN_TIMEOUT_S = 60


def claude(home: Path, base_url: str, api_key: str, prompt: str, *options: str) -> list[dict[str, Any]]:
    """Run the command once with the service at `base_url`; return its messages.

    `home` is its home and its working folder. Skips the test if the command has no build for this machine.
    """
    binary = next(installed(PROJECT).glob("node_modules/@anthropic-ai/claude-code-*/claude"), None)
    if binary is None:
        missing("the claude command has no build for this machine")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": f"{base_url}/api",
        "ANTHROPIC_API_KEY": api_key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }
    said = ["-p", prompt, "--model", "claude-haiku-4-5", "--output-format", "stream-json", "--verbose"]
    told = output_of([str(binary), *said, *options], environment, RUN_TIMEOUT_S, home)
    return [json.loads(line) for line in told.splitlines()]


def blocks_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the blocks of content in all messages, in their order."""
    return [block for each in messages if "message" in each for block in each["message"]["content"]]
