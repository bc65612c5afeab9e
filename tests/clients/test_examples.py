"""The examples of both clients, and the customer's command, against the whole service."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import av
import httpx
import pytest
from PIL import Image

from tests.clients.test_clients import PYTHON, TYPESCRIPT
from tests.support.missing import needs
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

RUN_S = 120


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


def run(
    service: dict[str, Any], folder: Path, *command: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a customer's program in `folder`."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TOLLGATE_URL": service["baseUrl"],
        "TOLLGATE_API_KEY": service["apiKey"],
        **variables,
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
    )


def opens(path: Path) -> None:
    """Open a video with a real decoder."""
    with av.open(str(path)) as container:
        assert next(container.decode(video=0)).width > 0


class TestAnimate:
    def start(self, folder: Path) -> str:
        Image.new("RGB", (768, 768), "teal").save(folder / "start.png")
        return "start.png"

    def test_in_python(self, service: dict[str, Any], tmp_path: Path) -> None:
        script = str(PYTHON / "examples/animate.py")
        done = run(
            service,
            tmp_path,
            sys.executable,
            script,
            self.start(tmp_path),
            "waves",
            PYTHONPATH=str(PYTHON / "src"),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "finished" in done.stdout
        (video,) = tmp_path.glob("*.mp4")
        opens(video)

    def test_a_failure_says_what_came_back(self, service: dict[str, Any], tmp_path: Path) -> None:
        script = str(PYTHON / "examples/animate.py")
        asked = (sys.executable, script, self.start(tmp_path), "nobody can [[fail]]")
        done = run(service, tmp_path, *asked, PYTHONPATH=str(PYTHON / "src"))
        assert done.returncode == 1
        assert "Refunded: $0." in done.stdout

    def test_in_typescript(self, service: dict[str, Any], tmp_path: Path) -> None:
        needs("node")
        packages = tmp_path / "node_modules"
        packages.mkdir()
        (packages / "tollgate-client").symlink_to(TYPESCRIPT)
        shutil.copy(TYPESCRIPT / "examples/animate.mjs", tmp_path)
        done = run(service, tmp_path, "node", "animate.mjs", self.start(tmp_path), "waves")
        assert done.returncode == 0, done.stdout + done.stderr
        (video,) = tmp_path.glob("*.mp4")
        opens(video)


class TestCommand:
    def tollgate(
        self, service: dict[str, Any], folder: Path, *words: str
    ) -> subprocess.CompletedProcess[str]:
        found = (sys.executable, "-m", "tollgate_client.command", *words)
        return run(service, folder, *found, PYTHONPATH=str(PYTHON / "src"))

    def test_estimate_run_and_look(self, service: dict[str, Any], tmp_path: Path) -> None:
        asked = (PAID_IMAGE, "prompt=a lighthouse", "size=16:9")
        assert self.tollgate(service, tmp_path, "estimate", *asked).stdout == "$0.01\n"
        done = self.tollgate(service, tmp_path, "run", *asked)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / done.stdout.strip()).read_bytes().startswith(b"\x89PNG")
        assert "cost $0.01" in done.stderr
        listed = self.tollgate(service, tmp_path, "tasks", "--status", "finished").stdout
        assert PAID_IMAGE in listed
        assert self.tollgate(service, tmp_path, "balance").stdout.startswith("$")

    def test_a_wrong_value_names_its_field_and_what_is_allowed(
        self, service: dict[str, Any], tmp_path: Path
    ) -> None:
        done = self.tollgate(service, tmp_path, "run", "test-image", "prompt=x", "size=17:9")
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("tollgate: /input/size: ")
        assert line.count("9:16") == 1
        assert list(tmp_path.glob("*.png")) == []

    def test_chat_models_and_completion(self, service: dict[str, Any], tmp_path: Path) -> None:
        assert (
            self.tollgate(service, tmp_path, "chat", "test-chat", "Say hello").stdout
            == "You wrote: Say hello\n"
        )
        assert "test-image" in self.tollgate(service, tmp_path, "models", "--kind", "media").stdout
        offered = self.tollgate(service, tmp_path, "__complete", "run", "test-image").stdout.split()
        assert {"prompt=", "size=16:9"} <= set(offered)
        assert "complete" in self.tollgate(service, tmp_path, "completion", "bash").stdout

    def test_a_stream_that_breaks_off_and_an_empty_list_are_errors(
        self, service: dict[str, Any], tmp_path: Path
    ) -> None:
        done = self.tollgate(service, tmp_path, "chat", "gpt-5.4-mini", "hi [[stream-cut 2]]")
        assert done.returncode == 1
        assert done.stdout.endswith("\n")
        assert done.stderr == "tollgate: The provider's response broke off.\n"
        none = self.tollgate(service, tmp_path, "models", "--capability", "nope")
        assert (none.returncode, none.stdout) == (1, "")
        assert "no model" in none.stderr

    def test_files_are_deleted(self, service: dict[str, Any], tmp_path: Path) -> None:
        done = self.tollgate(service, tmp_path, "run", PAID_IMAGE, "prompt=x", "size=1:1", "--json")
        task = json.loads(done.stdout)
        Image.new("RGB", (8, 8), "teal").save(tmp_path / "start.png")
        uploaded = self.tollgate(service, tmp_path, "upload", "start.png").stdout.strip()
        gone = self.tollgate(service, tmp_path, "delete", task["taskId"], uploaded)
        assert gone.stdout.split() == [task["taskId"], uploaded], gone.stderr
        assert httpx.get(task["files"][0]["fileUrl"]).status_code == 404
        assert self.tollgate(service, tmp_path, "delete", uploaded).returncode == 1

    def test_a_file_is_uploaded(self, service: dict[str, Any], tmp_path: Path) -> None:
        Image.new("RGB", (768, 768), "teal").save(tmp_path / "start.png")
        # Its bytes say what it is, whatever it is called.
        (tmp_path / "start.png").rename(tmp_path / "start")
        uploaded = self.tollgate(service, tmp_path, "upload", "start").stdout.strip()
        assert uploaded.startswith("file_")
        values = json.dumps({"prompt": "a fox", "urls": [uploaded]})
        done = self.tollgate(service, tmp_path, "run", "seedream-4.5", "--input", values, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["status"] == "finished"
