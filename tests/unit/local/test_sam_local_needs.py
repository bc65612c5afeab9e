"""What `make sam-local` needs of a machine, and how it tells that the containers answer."""

import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from local.deploy.build import architecture
from local.machine import sam_local
from local.machine.emulator import ANSWER_S
from local.machine.sam_local import READY_PATH, missing, packed_variables, with_environment
from local.processes import LocalError
from local.template import Template
from tests.support.http_server import Raw, Received, http_server
from tollgate.kit.settings import unpacked

DOCKER = """#!/bin/sh
case "$1 $2" in
  "version "*) [ -n "{server}" ] && echo {server} ;;
  "image inspect") [ -n "{image}" ] && [ "$3" = "{named}" ] && echo {image} ;;
  "pull "*) exit {pull} ;;
esac
"""
"""A `docker` that knows one image, and a registry that has it or not."""
SCRIPT = Path(__file__).resolve().parents[3] / "local/machine/lambda_image.sh"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what puts a `docker` on the PATH, as the one program there, on a machine of a processor."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")

    def put(machine: str, server: str = "", image: str = "", named: str = "", pull: int = 1) -> None:
        monkeypatch.setattr(platform, "machine", lambda: machine)
        program = tmp_path / "docker"
        program.write_text(DOCKER.format(server=server, image=image, named=named, pull=pull))
        program.chmod(0o755)

    return put


class TestMissing:
    @pytest.mark.parametrize(
        ("machine", "server", "image"),
        [
            ("x86_64", "amd64", "public.ecr.aws/lambda/python:3.13-x86_64"),
            ("aarch64", "arm64", "public.ecr.aws/lambda/python:3.13-arm64"),
        ],
    )
    def test_nothing_if_docker_has_the_image_of_this_processor(
        self, docker: Callable[..., None], machine: str, server: str, image: str
    ) -> None:
        docker(machine, server, image=server, named=image)
        assert missing() is None

    def test_docker_that_is_not_installed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docker: Callable[..., None]
    ) -> None:
        docker("x86_64")
        (tmp_path / "docker").unlink()
        assert missing() == (
            "Docker is not installed here (Debian: apt-get install docker.io); `make run` needs no Docker"
        )

    def test_docker_that_does_not_run(self, docker: Callable[..., None]) -> None:
        docker("x86_64", server="")
        assert (missing() or "").startswith("Docker does not run, or not for this user")

    def test_docker_on_another_processor_than_the_build(self, docker: Callable[..., None]) -> None:
        docker("aarch64", server="amd64")
        assert (missing() or "").startswith("This machine is arm64, but its Docker is amd64")

    def test_an_image_that_cannot_be_had_is_named_with_what_makes_it(
        self, docker: Callable[..., None]
    ) -> None:
        docker("aarch64", server="arm64", pull=1)
        said = missing() or ""
        assert "public.ecr.aws/lambda/python:3.13-arm64 is missing and cannot be pulled" in said
        assert "make lambda-image" in said

    def test_an_image_of_another_processor(self, docker: Callable[..., None]) -> None:
        docker("x86_64", "amd64", image="arm64", named="public.ecr.aws/lambda/python:3.13-x86_64")
        assert "is for arm64, not for amd64: docker rmi" in (missing() or "")

    def test_another_system_than_linux(
        self, docker: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        docker("arm64", server="arm64")
        monkeypatch.setattr(sys, "platform", "darwin")
        assert "which only Linux has" in (missing() or "")

    def test_a_processor_that_lambda_does_not_have(self, docker: Callable[..., None]) -> None:
        docker("riscv64", server="riscv64")
        with pytest.raises(LocalError, match="riscv64"):
            missing()


class TestReadiness:
    def test_the_path_is_one_of_the_api_and_not_of_the_dashboard(self, template: Template) -> None:
        route = template.openapi()["paths"]["/api/v1/catalog/{id}"]["get"]
        assert READY_PATH.rpartition("/")[0] == "/api/v1/catalog"
        assert "${ApiFunctionAliaslive}" in str(route["x-amazon-apigateway-integration"]["uri"])

    @pytest.mark.parametrize("status", [502, 403])
    def test_an_answer_that_is_no_success_ends_it(self, status: int) -> None:
        running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        with (
            http_server(lambda _: status) as url,
            pytest.raises(LocalError, match=f"answers {status} to"),
        ):
            sam_local.wait_for_api(url, running)
        running.communicate()

    def test_it_waits_for_the_one_answer_however_long_the_image_takes(self) -> None:
        asked: list[str] = []

        def late(request: Received) -> Raw:
            asked.append(request.path)
            # Longer than the patience with which other parts are asked whether they listen
            return Raw((b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",), pause_s=ANSWER_S + 0.1)

        running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        with http_server(late) as url:
            sam_local.wait_for_api(url.rpartition("/")[0], running)
        assert asked == [READY_PATH]
        running.communicate()


class TestTemplate:
    def test_a_switch_that_is_set_is_declared_for_every_function(self, tmp_path: Path) -> None:
        (tmp_path / "template.yaml").write_text(
            "Globals: {Function: {Environment: {Variables: {STAGE: !Ref Stage}}}}\nResources: {}\n"
        )
        made = with_environment(tmp_path, {"TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1", "HOME": "/root"})
        assert made.parent == tmp_path  # CodeUri is relative to it
        assert yaml.safe_load(made.read_text())["Globals"]["Function"]["Environment"]["Variables"] == {
            "STAGE": {"Ref": "Stage"},
            "TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS": "1",
        }


class TestImage:
    def test_the_script_makes_the_image_that_is_asked_for(self) -> None:
        script = SCRIPT.read_text()
        assert f"image={sam_local.IMAGE}-$architecture" in script
        assert sam_local.image_for("arm64") == f"{sam_local.IMAGE}-arm64"
        assert f"architecture={architecture()} ;;" in script


def test_the_containers_get_tables_and_queues_as_the_template_declares_them(template: Template) -> None:
    names = {name for function in template.functions() for name in template.variables(function)}
    known = {name: f"http://10.0.0.1:4566/0/{name.lower()}" for name in names}
    passed = packed_variables(known)
    assert unpacked(passed) == known
    declared = {name for each in template.functions().values() for name in each["Environment"]["Variables"]}
    assert set(passed) <= declared
    assert "TABLES" in passed
