"""The OpenAPI document as others' tools read it: clients are generated and used, linters find no error."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.template import ROOT
from tests.support import node_project
from tests.support.missing import missing, uv
from tests.support.node_project import NEWEST

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

PROJECT = Path(ROOT) / "tests/clients/generators"
REQUIREMENTS = Path(ROOT) / "tests/clients/requirements.txt"
TIMEOUT_S = 300
WRONG_EXAMPLE = {
    "get": {
        "operationId": "wrong",
        "summary": "Wrong",
        "description": "Answers with a number.",
        "tags": ["Media"],
        "security": [],
        "responses": {
            "200": {
                "description": "The number.",
                "content": {"application/json": {"schema": {"type": "integer"}, "example": "none"}},
            },
            "400": {"description": "No number."},
        },
    }
}


def run(*command: str | Path, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def installed(name: str, *steps: tuple[str | Path, ...]) -> Path:
    """Return a folder below `.local` in which each command of `steps` ran once, or skip."""
    folder = Path(ROOT) / ".local" / name
    ready = folder / ".ready"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for step in steps:
            done = run(*step, cwd=folder)
            if done.returncode:
                missing(f"{name} cannot be installed: {done.stderr.strip()[-200:]}")
        ready.touch()
    return folder


@pytest.fixture(scope="module")
def node() -> Path:
    """Return the folder with the tools from npm."""
    return node_project.installed(PROJECT)


@pytest.fixture(scope="module")
def python() -> Path:
    """Return the folder of an environment with the generator from PyPI."""
    if NEWEST:
        return NEWEST / "python/bin"
    name = f"generators/python-{sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]}"
    install = (uv(), "pip", "install", "-q", "-p", ".", "-r", REQUIREMENTS)
    return installed(name, (uv(), "venv", "-q", "--allow-existing", "."), install) / "bin"


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


@pytest.fixture(scope="module")
def document(service: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the document as the service gives it."""
    folder = tmp_path_factory.mktemp("document")
    answer = httpx.get(service["baseUrl"] + "/api/v1/openapi.json", timeout=TIMEOUT_S)
    assert answer.json()["servers"] == [{"url": service["baseUrl"]}]
    (folder / "openapi.json").write_text(answer.text)
    return folder


class TestClients:
    def test_one_for_python_creates_and_reads(
        self, python: Path, document: Path, service: dict[str, Any]
    ) -> None:
        generator = (python / "openapi-python-client", "generate", "--meta", "none", "--fail-on-warning")
        target = ("--path", "openapi.json", "--output-path", "tollgate_client", "--overwrite")
        # What it would run afterwards is a formatter that is not there.
        (document / "config.yml").write_text("post_hooks: []\n")
        made = run(*generator, *target, "--config", "config.yml", cwd=document)
        assert made.returncode == 0, made.stdout + made.stderr
        shutil.copy(PROJECT / "use.py", document)
        done = run(python / "python", "use.py", service["baseUrl"], service["apiKey"], cwd=document)
        check(done)

    def test_one_for_typescript_creates_and_reads(
        self, node: Path, document: Path, service: dict[str, Any]
    ) -> None:
        binaries = node / "node_modules/.bin"
        for name in ("use.ts", "tsconfig.json"):
            shutil.copy(PROJECT / name, node)
        made = run(binaries / "openapi-ts", "-i", document / "openapi.json", "-o", "client", cwd=node)
        assert made.returncode == 0, made.stdout + made.stderr
        compiled = run(binaries / "tsc", cwd=node)
        assert compiled.returncode == 0, compiled.stdout
        check(run("node", "built/use.js", service["baseUrl"], service["apiKey"], cwd=node))


class TestPostman:
    def test_its_own_converter_makes_a_collection_of_every_operation(
        self, node: Path, document: Path, service: dict[str, Any]
    ) -> None:
        """What Postman does with a link to the document."""
        convert = (node / "node_modules/.bin/openapi2postmanv2", "-s", "openapi.json", "-o", "made.json")
        made = run(*convert, "-O", "folderStrategy=Tags,parametersResolution=Example", cwd=document)
        assert made.returncode == 0, made.stdout + made.stderr
        collection = json.loads((document / "made.json").read_text())
        assert {"key": "baseUrl", "value": service["baseUrl"]}.items() <= collection["variable"][0].items()
        read = json.loads((document / "openapi.json").read_text())
        wanted = {each["summary"] for path in read["paths"].values() for each in path.values()}
        assert set(_requests(collection)) >= wanted
        first = collection["item"][0]["item"][0]["request"]
        assert json.loads(first["body"]["raw"])["model"] == "test-image"


def _requests(folder: dict[str, Any]) -> Iterator[str]:
    """Yield the names of a folder's requests, those of its folders too."""
    for item in folder["item"]:
        if "request" in item:
            yield item["name"]
        else:
            yield from _requests(item)


class TestLinters:
    def test_redocly_finds_nothing(self, node: Path, document: Path) -> None:
        assert self.redocly(node, document, "openapi.json") == []

    def test_redocly_would_find_something(self, node: Path, document: Path) -> None:
        read = json.loads((document / "openapi.json").read_text())
        del read["info"]["license"]
        # To read all of it again would take seconds
        worse = {**read, "paths": {"/wrong": WRONG_EXAMPLE}, "webhooks": {}, "components": {}}
        (document / "worse.json").write_text(json.dumps(worse))
        found = self.redocly(node, document, "worse.json")
        assert sorted(found) == ["info-license", "no-invalid-media-type-examples"]

    @staticmethod
    def redocly(node: Path, document: Path, name: str) -> list[str]:
        """Return the rules that a document breaks, those that only warn too."""
        command = (node / "node_modules/.bin/redocly", "lint", name, "--format=json", "--max-problems=1000")
        return [each["ruleId"] for each in json.loads(run(*command, cwd=document).stdout)["problems"]]

    def test_spectral_finds_nothing_but_that_nobody_is_named(self, node: Path, document: Path) -> None:
        # It takes twice as long for the examples as for all else, and Redocly has looked at them.
        rules = 'extends: ["spectral:oas"]\nrules: {oas3-valid-media-example: off}\n'
        (document / "ruleset.yaml").write_text(rules)
        command = (node / "node_modules/.bin/spectral", "lint", "openapi.json", "--ruleset", "ruleset.yaml")
        done = run(*command, "--format", "json", cwd=document)
        found = json.loads(done.stdout[done.stdout.index("[") : done.stdout.rindex("]") + 1])
        # The document does not know who operates a service.
        assert [each["code"] for each in found] == ["info-contact"]


def check(done: "subprocess.CompletedProcess[str]") -> None:
    """Check what came of a client's conversation."""
    assert done.returncode == 0, done.stdout + done.stderr
    came = json.loads(done.stdout)
    assert came.pop("taskId").startswith("task_")
    (file,) = came.pop("files")
    assert file.startswith("http")
    assert came == {"status": "finished", "code": "invalid_input", "unknown": "invalid_api_key"}
