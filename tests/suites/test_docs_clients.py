"""The customer docs: settings and programs of clients that `make client-suites` installs, as pasted."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.suites.test_suites import MODULES
from tests.support.doc_programs import read
from tests.support.missing import missing

pytestmark = [pytest.mark.suites, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]


def test_the_settings_of_opencode_work(shared_service: dict[str, Any], tmp_path: Path) -> None:
    program = next(MODULES.glob("opencode-linux-*/bin/opencode"), None)
    if program is None:
        missing("opencode has no build for this machine")
    path = f"{program.parent}:{os.environ['PATH']}"
    read("use/opencode", shared_service, tmp_path, {"bash"}, PATH=path)


@pytest.mark.parametrize("page", ["use/ai-sdk", "use/anthropic", "use/openai"])
def test_programs_run_on_node_22(shared_service: dict[str, Any], tmp_path: Path, page: str) -> None:
    (tmp_path / "node_modules").symlink_to(MODULES)
    path = f"{MODULES / '.bin'}:{os.environ['PATH']}"
    read(page, shared_service, tmp_path, {"javascript"}, PATH=path)
