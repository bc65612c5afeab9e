"""The customer docs: programs for Node run as pasted, and settings of clients work in the real programs.

Programs for the shell and Python are in tests/journey/test_docs_programs.py.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.clients.test_clients import typescript_packages
from tests.support.doc_programs import PAGES, Program, Reader, page_text, read, save_settings, to_run
from tests.support.missing import missing, needs
from tests.support.node_project import installed

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

NODE = {"javascript", "typescript"}
WITH_SHELL = {"transcription": {"bash"}, "webhooks": {"bash"}}
"""Pages whose programs for Node need those for the shell."""
COMMANDS = {
    "use/claude-code": ("claude",),
    "use/codex": ("codex",),
    "use/mcp": ("claude", "codex"),
}
"""The programs that a page needs."""
BINARIES = {
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex/bin/codex.js",
}


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return the address of the running service and a key."""
    return shared_service


@pytest.fixture(scope="session")
def modules() -> Path:
    """Return the packages of Node that the docs name."""
    return installed(ROOT / "tests/clients/node") / "node_modules"


@pytest.fixture
def commands(modules: Path, tmp_path: Path) -> str:
    """Return a PATH with the commands of clients."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, place in BINARIES.items():
        found = sorted(modules.glob(place))
        if not found:
            missing(f"the {name} command has no build for this machine")
        (folder / name).symlink_to(found[0])
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("page", [page for page in PAGES if page not in COMMANDS])
def test_the_programs_for_node_run(service: dict[str, Any], modules: Path, tmp_path: Path, page: str) -> None:
    wanted = {one.language for one in to_run(page, page_text(page, service["baseUrl"]), NODE)}
    if wanted:
        needs("node", "curl", "jq")
        if "typescript" in wanted:
            typescript_packages()
        (tmp_path / "node_modules").symlink_to(modules)
        read(page, service, tmp_path, wanted | WITH_SHELL.get(page, set()))


@pytest.mark.parametrize("page", COMMANDS)
def test_the_settings_of_a_client_work(
    service: dict[str, Any], commands: str, tmp_path: Path, page: str
) -> None:
    read(page, service, tmp_path, {"bash"}, PATH=commands)


def test_claude_code_finds_all_it_needs_in_its_settings(
    service: dict[str, Any], commands: str, tmp_path: Path
) -> None:
    save_settings(page_text("use/claude-code", service["baseUrl"]), tmp_path, service["apiKey"])
    with Reader(tmp_path, {"PATH": commands}) as reader:
        printed = reader.run(Program("bash", "", 'claude -p "Say hello" --model haiku', None))
    assert printed.strip()
