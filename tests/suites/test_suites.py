"""Suites and programs of others, each in an environment of its own, against the running service.

`make client-suites` installs them into `.local/suites` and runs this; `make test` leaves it out.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.support.local_service import running_service
from tests.support.missing import missing
from tests.support.programs import output_of

pytestmark = [pytest.mark.suites, pytest.mark.ministack]

HERE = Path(ROOT) / "tests/suites"
INSTALLED = Path(ROOT) / (".local/newest/suites" if os.environ.get("NEWEST") else ".local/suites")
PYTHON, MODULES = INSTALLED / "python/bin/python", INSTALLED / "node/node_modules"
NODE = str(MODULES / ".bin/node")
SUITE_TIMEOUT_S, PROGRAM_TIMEOUT_S = 540, 90
WORDS = 12
"""How long the simulator's answers are."""
THOUGHTS = 8
"""How long its thinking is."""
LANGCHAIN = (
    *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(HERE)),
    *("--confcutdir", str(HERE), "--import-mode", "importlib", "-o", "asyncio_mode=auto"),
    # Its clients keep connections, which belong to one loop.
    *("-o", "asyncio_default_test_loop_scope=session", str(HERE / "langchain_standard.py")),
)
ROUND = ["ToolCallItem", "ToolCallOutputItem", "MessageOutputItem"]
JS_ROUND = ["tool_call_item", "tool_call_output_item", "message_output_item"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the environment of a client: the address of a running service, a key, and an empty home."""
    with running_service(Path(tmp_path_factory.mktemp("local"))) as service:
        yield {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path_factory.mktemp("home")),
            "TOLLGATE_URL": service["baseUrl"],
            "TOLLGATE_API_KEY": service["apiKey"],
        }


def test_langchain_s_standard_suite_passes(environment: dict[str, str], tmp_path: Path) -> None:
    told = output_of([str(PYTHON), *LANGCHAIN], environment, SUITE_TIMEOUT_S, tmp_path)
    found = re.findall(r"(\d+) (passed|xfailed|skipped|failed|error)", told)
    # What fails for want of wit is named there. Skipped: sound, recordings, Anthropic's blocks to OpenAI.
    assert {word: int(number) for number, word in found} == {"passed": 267, "xfailed": 16, "skipped": 16}


def test_openai_agents_run_a_tool_in_each_protocol(environment: dict[str, str], tmp_path: Path) -> None:
    told = json.loads(
        output_of([str(PYTHON), str(HERE / "openai_agents.py")], environment, PROGRAM_TIMEOUT_S, tmp_path)
    )
    assert len(told) == 4
    for name, each in told.items():
        assert each == {"items": ROUND, "words": WORDS, "same": True}, name


def test_openai_agents_for_javascript_do_so_on_node_22(environment: dict[str, str], tmp_path: Path) -> None:
    command = [NODE, str(MODULES.parent / "agents.mjs")]
    told = json.loads(output_of(command, environment, PROGRAM_TIMEOUT_S, tmp_path))
    assert len(told) == 4
    for name, each in told.items():
        assert each == {"items": JS_ROUND, "words": WORDS}, name


def test_the_sdks_for_javascript_make_one_call_of_each_kind(
    environment: dict[str, str], tmp_path: Path
) -> None:
    told = json.loads(
        output_of([NODE, str(MODULES.parent / "sdks.mjs")], environment, PROGRAM_TIMEOUT_S, tmp_path)
    )
    texts = [told[name] for name in ("chat", "response", "message")]
    assert [len(text.split()) for text in texts] == [WORDS] * 3
    assert [told[name] for name in ("streamed", "responseStreamed", "messageStreamed")] == texts
    assert told["stored"] == told["response"]
    assert told["embeddings"] == [1536, 1536]
    assert told["edited"].startswith("http")
    assert told["video"] == ["completed", True, True]
    assert told["models"]
    assert told["refused"] == [400, "invalid_request_error"]


@pytest.mark.parametrize(
    ("protocol", "model"),
    [
        ("openai", "gpt-5.4-mini"),
        ("openai", "claude-haiku-5-5"),
        ("anthropic", "claude-haiku-5-5"),
        ("responses", "gpt-5.4-mini"),
        ("responses", "claude-haiku-5-5"),
    ],
)
def test_the_ai_sdk_of_today_holds_the_conversations_of_the_one_on_node_20(
    environment: dict[str, str], tmp_path: Path, protocol: str, model: str
) -> None:
    script = str(shutil.copy(Path(ROOT) / "tests/clients/node/ai_sdk.mjs", MODULES.parent))
    command = [NODE, script, protocol, environment["TOLLGATE_URL"], environment["TOLLGATE_API_KEY"], model]
    told = json.loads(output_of(command, environment, PROGRAM_TIMEOUT_S, tmp_path))
    assert told["whole"] == told["streamed"]
    assert (told["whole"]["finish"], told["whole"]["outputTokens"]) == ("stop", WORDS)
    assert told["round"] == told["streamedRound"]
    assert [step["finish"] for step in told["round"]] == ["tool-calls", "stop"]
    assert told["structured"] == {"city": "sample", "people": 1}
    whole, streamed = told["thought"]
    assert whole == streamed
    # On responses, GPT shows the summary that the program requests.
    is_hidden = model.startswith("gpt") and protocol != "responses"
    assert len(whole.split()) == (0 if is_hidden else THOUGHTS)


def test_claude_code_as_npm_picks_it_on_node_20_finds_its_own_models(
    environment: dict[str, str], tmp_path: Path
) -> None:
    program = next(MODULES.glob("@anthropic-ai/claude-code-linux-*/claude"), None)
    if program is None:
        missing("the claude command has no build for this machine")
    variables = {
        **environment,
        "HOME": str(tmp_path),
        "ANTHROPIC_BASE_URL": f"{environment['TOLLGATE_URL']}/api",
        "ANTHROPIC_API_KEY": environment["TOLLGATE_API_KEY"],
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    # The first without a name: what it asks for by itself.
    for named in ([], ["--model", "opus"], ["--model", "sonnet"], ["--model", "haiku"]):
        command = [str(program), "-p", "hello", *named, "--output-format", "json"]
        told = json.loads(output_of(command, variables, PROGRAM_TIMEOUT_S, tmp_path))
        assert (told["subtype"], len(told["result"].split())) == ("success", WORDS)


def test_continue_s_command_answers(environment: dict[str, str], tmp_path: Path) -> None:
    model = {"name": "gpt", "provider": "openai", "model": "gpt-5.4-mini", "roles": ["chat"]}
    model |= {"apiBase": f"{environment['TOLLGATE_URL']}/api/v1", "apiKey": environment["TOLLGATE_API_KEY"]}
    config = {"name": "tollgate", "version": "1.0.0", "schema": "v1", "models": [model]}
    # JSON is YAML.
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    program = str(MODULES / "@continuedev/cli/dist/cn.js")
    quiet = {**environment, "CONTINUE_TELEMETRY_ENABLED": "0"}
    command = [NODE, program, "-p", "hello", "--config", str(tmp_path / "config.yaml")]
    assert len(output_of(command, quiet, PROGRAM_TIMEOUT_S, tmp_path).split()) == WORDS


def test_cline_s_command_answers(environment: dict[str, str], tmp_path: Path) -> None:
    program = str(MODULES / ".bin/cline")
    home = {**environment, "HOME": str(tmp_path), "PATH": f"{MODULES / '.bin'}:{environment['PATH']}"}
    where = ("-k", environment["TOLLGATE_API_KEY"], "-b", f"{environment['TOLLGATE_URL']}/api/v1")
    output_of(
        [program, "auth", "-p", "openai", "-m", "gpt-5.4-mini", *where], home, PROGRAM_TIMEOUT_S, tmp_path
    )
    command = [program, "-P", "openai-compatible", "--json", "say hello"]
    told = output_of(command, home, PROGRAM_TIMEOUT_S, tmp_path)
    ends = [json.loads(line) for line in told.splitlines() if line.startswith('{"ts"')]
    assert (ends[-1]["type"], ends[-1]["finishReason"]) == ("run_result", "completed")
    assert len(ends[-1]["text"].split()) == WORDS


def test_thinking_is_where_clients_of_openai_s_protocols_read_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    offline = {**environment, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    printed = output_of([str(PYTHON), str(HERE / "thinking.py")], offline, PROGRAM_TIMEOUT_S, tmp_path)
    told = json.loads(printed.splitlines()[-1])
    thought = told["litellm"]["whole"]
    assert len(thought.split()) == THOUGHTS
    assert told["litellm"] == {"whole": thought, "streamed": thought, "signed": True}
    assert told["langchain"] == dict.fromkeys(("whole", "streamed", "responses"), thought)


class TestOpencode:
    PROVIDERS = {
        "@ai-sdk/openai-compatible": ("gpt-5.4-mini", "claude-haiku-5-5"),
        "@ai-sdk/openai": ("gpt-5.4-mini",),
        "@ai-sdk/anthropic": ("claude-haiku-5-5",),
    }

    @pytest.mark.parametrize("package", PROVIDERS)
    def test_answers(self, environment: dict[str, str], tmp_path: Path, package: str) -> None:
        models = self.PROVIDERS[package]
        options = {"baseURL": f"{environment['TOLLGATE_URL']}/api/v1", "apiKey": "{env:TOLLGATE_API_KEY}"}
        provider = {"npm": package, "options": options, "models": {model: {} for model in models}}
        config = {"provider": {"tollgate": provider}, "autoupdate": False, "share": "disabled"}
        (tmp_path / "opencode.json").write_text(json.dumps(config))
        program = next(MODULES.glob("opencode-linux-*/bin/opencode"), None)
        if program is None:
            missing("opencode has no build for this machine")
        for model in models:
            command = [str(program), "run", "-m", f"tollgate/{model}", "--format", "json", "hello"]
            told = output_of(command, environment, PROGRAM_TIMEOUT_S, tmp_path)
            events = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
            texts = [each["part"]["text"] for each in events if each["type"] == "text"]
            assert [len(text.split()) for text in texts] == [WORDS], model
            ends: list[Any] = [each["part"] for each in events if each["type"] == "step_finish"]
            assert ends[-1]["tokens"]["output"] == WORDS
