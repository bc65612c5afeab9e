"""Suites and programs of others, each in an environment of its own, against the running service.

`make client-suites` installs them into `.local/suites` and runs this; `make test` leaves it out.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.support.local_service import running_service

pytestmark = [pytest.mark.suites, pytest.mark.ministack]

HERE = Path(ROOT) / "tests/suites"
INSTALLED = Path(ROOT) / ".local/suites"
PYTHON, MODULES = INSTALLED / "python/bin/python", INSTALLED / "node/node_modules"
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


def run(command: list[str], environment: dict[str, str], timeout_s: int, folder: Path) -> str:
    """Return what a program prints; it has to succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def test_langchain_s_standard_suite_passes(environment: dict[str, str], tmp_path: Path) -> None:
    told = run([str(PYTHON), *LANGCHAIN], environment, SUITE_TIMEOUT_S, tmp_path)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|xfailed|failed|error)", told)}
    # Six classes of 34 tests that pass without wit and without the web; what is named in the suite fails.
    assert counts["passed"] >= 6 * 34, told[-500:]
    assert counts.keys() == {"passed", "xfailed"}


def test_openai_agents_run_a_tool_in_each_protocol(environment: dict[str, str], tmp_path: Path) -> None:
    told = json.loads(
        run([str(PYTHON), str(HERE / "openai_agents.py")], environment, PROGRAM_TIMEOUT_S, tmp_path)
    )
    assert len(told) == 4
    for name, each in told.items():
        assert each == {"items": ROUND, "words": WORDS, "same": True}, name


def test_openai_agents_for_javascript_do_so_on_node_22(environment: dict[str, str], tmp_path: Path) -> None:
    command = [str(MODULES / ".bin/node"), str(MODULES.parent / "agents.mjs")]
    told = json.loads(run(command, environment, PROGRAM_TIMEOUT_S, tmp_path))
    assert len(told) == 4
    for name, each in told.items():
        assert each == {"items": JS_ROUND, "words": WORDS}, name


def test_thinking_is_where_clients_of_openai_s_protocols_read_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    offline = {**environment, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    printed = run([str(PYTHON), str(HERE / "thinking.py")], offline, PROGRAM_TIMEOUT_S, tmp_path)
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
            pytest.skip("opencode has no build for this machine")
        for model in models:
            command = [str(program), "run", "-m", f"tollgate/{model}", "--format", "json", "hello"]
            told = run(command, environment, PROGRAM_TIMEOUT_S, tmp_path)
            events = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
            texts = [each["part"]["text"] for each in events if each["type"] == "text"]
            assert [len(text.split()) for text in texts] == [WORDS], model
            ends: list[Any] = [each["part"] for each in events if each["type"] == "step_finish"]
            assert ends[-1]["tokens"]["output"] == WORDS
