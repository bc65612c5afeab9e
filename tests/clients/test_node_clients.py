"""What customers run on node: the AI SDK, and the commands `claude` and `codex`, each in its own home."""

import json
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.claude_command import PROJECT, RUN_TIMEOUT_S, blocks_of, claude
from tests.support.missing import missing
from tests.support.node_project import installed
from tests.support.programs import output_of
from tests.support.text_app import USD, TextClient

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

WORDS = 12
"""How long the simulator's answers are."""
THOUGHTS = 8
"""How long its thinking is."""


@pytest.fixture(scope="session")
def project() -> Path:
    """Return the node project with its packages."""
    return installed(PROJECT)


@pytest.fixture
def client(open_client: Callable[[int], TextClient]) -> TextClient:
    """Return a customer with 20 US dollars, which hold all searches."""
    return open_client(20 * USD)


class TestAiSdk:
    @pytest.fixture(
        params=[
            ("openai", "gpt-5.4-mini"),
            ("openai", "claude-haiku-5-5"),
            ("anthropic", "claude-haiku-5-5"),
            ("responses", "gpt-5.4-mini"),
            ("responses", "claude-haiku-5-5"),
        ],
        ids=["openai", "openai-translated", "anthropic", "responses", "responses-translated"],
    )
    def came(self, project: Path, client: TextClient, request: pytest.FixtureRequest) -> Any:
        """Return what came of all conversations."""
        protocol, model = request.param
        command = ["node", "ai_sdk.mjs", protocol, client.url, client.account.api_key, model]
        done = subprocess.run(
            command, cwd=project, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return {**json.loads(done.stdout), "protocol": protocol}

    def test_text_streams_tools_structure_and_errors(self, came: Any, client: TextClient) -> None:
        assert came["whole"] == came["streamed"]
        assert (came["whole"]["finish"], came["whole"]["outputTokens"]) == ("stop", WORDS)
        for steps in (came["round"], came["streamedRound"]):
            asked, told = steps
            assert asked["calls"] == [{"tool": "weather", "input": {"city": "sample"}}]
            assert (asked["finish"], asked["results"]) == ("tool-calls", ["5 degrees in sample"])
            assert (told["finish"], len(told["text"].split())) == ("stop", WORDS)
        assert came["structured"] == {"city": "sample", "people": 1}
        assert came["refused"]["status"] == 400
        # Two talks, two rounds of two answers, a structured one, two with thinking; a refusal costs nothing.
        assert len(client.texts_when(9)) == 9
        whole, streamed = came["thought"]
        assert whole == streamed
        # GPT shows a summary on request, which only Responses has.
        is_hidden = came["model"].startswith("gpt") and came["protocol"] == "openai"
        assert len(whole.split()) == (0 if is_hidden else THOUGHTS)


class TestClaudeCommand:
    @pytest.fixture
    def run(self, client: TextClient, tmp_path: Path) -> Callable[..., list[Any]]:
        """Return what runs the command with a prompt and options in an empty home and gives its messages."""
        return partial(claude, tmp_path, client.url, client.account.api_key)

    def test_holds_a_conversation_that_goes_on(self, run: Callable[..., list[Any]]) -> None:
        first = run("hello")[-1]
        assert (first["subtype"], len(first["result"].split())) == ("success", WORDS)
        second = run("and now?", "--continue")[-1]
        assert (second["subtype"], second["session_id"]) == ("success", first["session_id"])
        assert second["usage"]["input_tokens"] > first["usage"]["input_tokens"]

    @pytest.mark.parametrize("where", ["", "[[anthropic: status 529]] "], ids=["anthropic", "reserve"])
    def test_runs_a_tool_and_hands_in_its_result(
        self, run: Callable[..., list[Any]], client: TextClient, where: str
    ) -> None:
        messages = run(f"{where}[[tool]]", "--tools", "Read")
        kinds = [block["type"] for block in blocks_of(messages) if block["type"] != "thinking"]
        assert kinds == ["tool_use", "tool_result", "text"]
        assert messages[-1]["subtype"] == "success"
        assert all(entry.amount_micro_usd < 0 for entry in client.texts_when(2))
        assert client.settled()

    def test_searches_the_web_without_settings(
        self, run: Callable[..., list[Any]], client: TextClient
    ) -> None:
        messages = run("[[tool]]", "--tools", "WebSearch", "--allowedTools", "WebSearch")
        (found,) = [block["content"] for block in blocks_of(messages) if block["type"] == "tool_result"]
        assert "https://pages.test/1" in found
        # The command searches with a request of its own.
        searches = [(entry.usage or {}).get("web_searches", 0) for entry in client.texts_when(3)]
        assert sorted(searches) == [0, 0, 1]
        assert messages[-1]["total_cost_usd"] == pytest.approx(spent_usd(client))


class TestCodexCommand:
    @pytest.fixture
    def codex(self, project: Path, client: TextClient, tmp_path: Path) -> Callable[..., list[Any]]:
        """Return what runs the command in an empty home and gives its events."""
        command = project / "node_modules/@openai/codex/bin/codex.js"
        if not list(project.glob("node_modules/@openai/codex-*/")):
            missing("the codex command has no build for this machine")
        (tmp_path / "config.toml").write_text(CODEX.format(url=client.url))
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "CODEX_HOME": str(tmp_path),
            "TOLLGATE_API_KEY": client.account.api_key,
        }

        def run(model: str, prompt: str) -> list[Any]:
            said = ["exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", "-m", model, prompt]
            told = output_of(["node", str(command), *said], environment, RUN_TIMEOUT_S, tmp_path)
            return [json.loads(line) for line in told.splitlines() if line.startswith("{")]

        return run

    @pytest.mark.parametrize(
        "model",
        ["gpt-6.1-sol", "gpt-5.5", "gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro", "gemini-3.8-flash"],
    )
    def test_answers_and_runs_a_tool(
        self, codex: Callable[..., list[Any]], client: TextClient, model: str
    ) -> None:
        told = codex(model, "hello")
        (said,) = [
            each["item"]["text"]
            for each in told
            if each["type"] == "item.completed" and each["item"]["type"] == "agent_message"
        ]
        assert len(said.split()) == WORDS
        assert told[-1]["type"] == "turn.completed"
        codex(model, "[[tool]]")
        # The first model of the two calls a tool, and is told what came of it.
        assert len(client.texts_when(3)) == 3
        assert client.settled()

    @pytest.mark.parametrize("model", ["gpt-5.5", "claude-haiku-5-5"])
    def test_searches_the_web_without_settings(
        self, codex: Callable[..., list[Any]], client: TextClient, model: str
    ) -> None:
        assert codex(model, "[[search 2]]")[-1]["type"] == "turn.completed"
        (entry,) = client.texts_when(1)
        assert (entry.usage or {})["web_searches"] == 2
        assert client.settled()


def spent_usd(client: TextClient) -> float:
    """Return the charges of a client's requests."""
    return -sum(entry.amount_micro_usd for entry in client.texts()) / USD


CODEX = """
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "{url}/api/v1"
env_key = "TOLLGATE_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""
