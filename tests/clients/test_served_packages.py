"""The packages of a running service, installed by the lines of its pages into empty folders, and used."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.doc_programs import page_text, programs
from tests.support.missing import missing, needs, uv
from tollgate.kit.version import VERSION

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

RUN_S = 180
PNG = b"\x89PNG"
MANY = "Workflows and batches"
PLACE = "import tollgate_client; print(tollgate_client.__version__, tollgate_client.__file__)"
NO_INDEX = "the package index cannot be reached, and the package needs httpx from it"


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


def shown(service: Mapping[str, Any], page: str, heading: str) -> dict[str, str]:
    """Return the code of each tab below a heading of a page."""
    text = page_text(page, service["baseUrl"]).partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return {program.label: program.code for program in programs(text)}


def run(service: Mapping[str, Any], folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in `folder`, with the programs of the environment in `folder` first."""
    environment = {
        **{name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "UV_", "SSL_", "npm_"))},
        "PATH": f"{folder / 'venv/bin'}:{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "TOLLGATE_URL": service["baseUrl"],
        "TOLLGATE_API_KEY": service["apiKey"],
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
    )


def output(service: Mapping[str, Any], folder: Path, *command: str) -> str:
    """Run a command; return its output, and fail with its messages if it fails."""
    done = run(service, folder, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def images(folder: Path) -> list[bytes]:
    """Return the first bytes of each image in a folder."""
    return [path.read_bytes()[:4] for path in folder.glob("*.png")]


class TestPython:
    @pytest.fixture(scope="module")
    @staticmethod
    def environment(service: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
        """Return a folder with an environment, in which the page's line was run."""
        folder = tmp_path_factory.mktemp("python")
        # The environment of Python's own `venv` is the same, but to put pip into it takes seconds.
        made = run(service, folder, uv(), "venv", "-q", "--seed", "-p", sys.executable, "venv")
        if made.returncode:
            missing(f"{NO_INDEX}: {made.stderr.strip()[-200:]}")
        line = shown(service, "use/tollgate", "Install")["Python"]
        assert line == f"pip install -r {service['baseUrl']}/clients/tollgate-client.txt\n"
        done = run(service, folder, "bash", "-c", line)
        if "No matching distribution found for httpx" in done.stderr:
            missing(NO_INDEX)
        assert done.returncode == 0, done.stdout + done.stderr
        return folder

    def test_it_is_ours_of_this_release(self, service: dict[str, Any], environment: Path) -> None:
        version, place = output(service, environment, "python", "-c", PLACE).split()
        assert version == VERSION
        assert Path(place).is_relative_to(environment / "venv")
        installed = output(service, environment, "pip", "freeze")
        assert f"tollgate-client @ {service['baseUrl']}/clients/tollgate_client-{VERSION}-" in installed

    def test_its_programs_create_an_image(self, service: dict[str, Any], environment: Path) -> None:
        tabs = shown(service, "use/tollgate", "First image")
        output(service, environment, "python", "-c", tabs["Python"])
        assert images(environment) == [PNG]
        output(service, environment, "bash", "-c", tabs["Terminal"])
        assert images(environment) == [PNG, PNG]
        told = output(service, environment, "python", "-c", shown(service, "use/tollgate", MANY)["Python"])
        assert told.splitlines()[-1] == "first 200"


class TestJavaScript:
    def test_it_is_ours_of_this_release_and_creates_an_image(
        self, service: dict[str, Any], tmp_path: Path
    ) -> None:
        needs("node", "npm")
        line = shown(service, "use/tollgate", "Install")["JavaScript"]
        assert line == f"npm install {service['baseUrl']}/clients/tollgate-client.tgz\n"
        output(service, tmp_path, "bash", "-c", line)
        package = json.loads((tmp_path / "node_modules/tollgate-client/package.json").read_text())
        assert (package["name"], package["version"]) == ("tollgate-client", VERSION)
        (tmp_path / "program.mjs").write_text(shown(service, "use/tollgate", "First image")["JavaScript"])
        output(service, tmp_path, "node", "program.mjs")
        assert images(tmp_path) == [PNG]
        (tmp_path / "many.mjs").write_text(shown(service, "use/tollgate", MANY)["JavaScript"])
        assert output(service, tmp_path, "node", "many.mjs").splitlines()[-1] == "first 200"


class TestMcp:
    def test_the_program_of_the_page_is_ours_of_this_release_and_creates_an_image(
        self, service: dict[str, Any]
    ) -> None:
        page = page_text("use/mcp", service["baseUrl"])
        (command,) = [one.code for one in programs(page) if "tollgate-mcp" in one.code]
        started = command.replace("\\\n", " ").partition(" -- ")[2]
        words = shlex.split(started)
        assert f"{service['baseUrl']}/clients/tollgate-mcp.txt" in words
        own = {"TOLLGATE_URL": service["baseUrl"], "TOLLGATE_API_KEY": service["apiKey"]}
        program = StdioServerParameters(
            command=uv() if words[0] == "uv" else words[0], args=words[1:], env={**os.environ, **own}
        )
        anyio.run(self.talk, program)

    async def talk(self, program: StdioServerParameters) -> None:
        async with stdio_client(program) as (read, write), ClientSession(read, write) as agent:
            hello = await agent.initialize()
            assert (hello.server_info.name, hello.server_info.version) == ("tollgate", VERSION)
            values = {"prompt": "a lighthouse at dusk"}
            made = await agent.call_tool("generate", {"model": "test-image", "input": values})
            assert not made.is_error
            assert [content.type for content in made.content] == ["text", "image"]
