"""The versions that the docs call tested are the versions that the tests install."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from local.upkeep.prose_files import ROOT

USE = ROOT / "shared/tollgate/reference/site/use"


def node(folder: str) -> dict[str, str]:
    """Return the npm packages of a folder of the tests, with their versions."""
    packages: dict[str, str] = json.loads((ROOT / folder / "package.json").read_text())["dependencies"]
    return packages


def python() -> dict[str, str]:
    """Return the packages of the lock file, with their versions."""
    locked = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    return {each["name"]: each["version"] for each in locked}


def pinned(file: Path) -> dict[str, str]:
    """Return the packages of a requirements file, with their versions."""
    return dict(re.findall(r"^([\w-]+)==([\w.]+)$", file.read_text(), re.MULTILINE))


CONTRACT, SUITES = node("tests/clients/node"), node("tests/suites/node")
LOCKED, PINNED = python(), pinned(ROOT / "tests/suites/requirements.txt")
STATED = [
    ("openai", f"Tested with openai {LOCKED['openai']} for Python and {SUITES['openai']} for JavaScript."),
    (
        "anthropic",
        f"Tested with anthropic {LOCKED['anthropic']} for Python and @anthropic-ai/sdk "
        f"{SUITES['@anthropic-ai/sdk']} for JavaScript.",
    ),
    ("claude-code", f"Tested with Claude Code {CONTRACT['@anthropic-ai/claude-code']}."),
    ("codex", f"Tested with Codex {CONTRACT['@openai/codex']}."),
    ("opencode", f"Tested with opencode {SUITES['opencode-ai']}."),
    (
        "ai-sdk",
        f"Tested with `ai` {SUITES['ai']} on Node 22 (`@ai-sdk/openai-compatible` "
        f"{SUITES['@ai-sdk/openai-compatible']}, `@ai-sdk/openai` {SUITES['@ai-sdk/openai']}, "
        f"`@ai-sdk/anthropic` {SUITES['@ai-sdk/anthropic']}) and `ai` {CONTRACT['ai']} on Node 20 "
        f"({CONTRACT['@ai-sdk/openai-compatible']}, {CONTRACT['@ai-sdk/openai']}, "
        f"{CONTRACT['@ai-sdk/anthropic']}).",
    ),
    (
        "langchain",
        f"langchain-openai {PINNED['langchain-openai']}, langchain-anthropic "
        f"{PINNED['langchain-anthropic']}, and `ChatDeepSeek` of "
        f"langchain-deepseek {PINNED['langchain-deepseek']}",
    ),
    ("others", f"| LiteLLM | {PINNED['litellm']} |"),
    ("others", f"| OpenAI Agents, Python | {PINNED['openai-agents']} |"),
    ("others", f"| OpenAI Agents, JavaScript | {SUITES['@openai/agents']} |"),
    ("others", f"| Continue's `cn` | {SUITES['@continuedev/cli']} |"),
    ("others", f"| Cline's command | {SUITES['cline']} |"),
]
BY_HAND = {"aider", "llamaindex", "openrouter"}
"""Pages of clients that no test installs."""


@pytest.mark.parametrize(("page", "words"), STATED)
def test_a_page_states_the_version_that_the_tests_install(page: str, words: str) -> None:
    assert words in " ".join((USE / f"{page}.md").read_text().split())


def test_every_page_that_states_a_version_is_checked() -> None:
    stating = {page.stem for page in USE.glob("*.md") if "Tested with" in page.read_text()}
    assert stating <= {page for page, _ in STATED} | BY_HAND


@pytest.mark.parametrize("name", ["langchain-openai", "langchain-anthropic"])
def test_the_suites_use_the_version_of_the_lock_file(name: str) -> None:
    assert PINNED[name] == LOCKED[name]
