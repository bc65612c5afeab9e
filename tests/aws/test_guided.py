"""First deployments: `sam deploy --guided` in a terminal, answered by Enter alone, and a published build."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from local.deploy.build import SAM
from local.deploy.publish import publish
from local.machine.clients import Clients, aws_environment
from local.machine.emulator import Emulator
from local.template import ROOT, Template
from tests.aws.conftest import Artifacts

pytestmark = pytest.mark.aws

BUCKET = "published-builds"
TIMEOUT_S = 300
READ_BYTES = 65536
PROMPT = re.compile(r"\[[^\]\n]*\](?: ?\?)?: $")
"""A question with its default: `Stack Name [tollgate-dev]: `, `Disable rollback [y/N]: `."""
DEPLOYING = "Initiating deployment"
"""What sam says when it has asked everything and uploads the template."""


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """Run an emulator of AWS for this module."""
    emulator = Emulator(tmp_path_factory.mktemp("emulator") / "emulator.log")
    try:
        yield emulator
    finally:
        emulator.stop()


@pytest.fixture(scope="module")
def link(artifacts: Artifacts, emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Publish the build with less code; return the link."""
    template = with_less_code(artifacts.folder, tmp_path_factory.mktemp("build"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in aws_environment(emulator.endpoint).items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        return publish(BUCKET, template)


@pytest.fixture(scope="module")
def said(link: str, emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the terminal showed until everything was asked, for a template whose code is uploaded."""
    folder = Path(tmp_path_factory.mktemp("guided"))
    # The dialogue writes its answers there
    shutil.copy(ROOT / "samconfig.toml", folder)
    template = folder / "template.yaml"
    template.write_text(published(link, emulator))
    return answered_by_enter(
        ["--template-file", str(template), "--config-file", str(folder / "samconfig.toml")], emulator
    )


# What is asked does not depend on the processor.
@pytest.mark.parametrize("artifacts", ["arm64"], indirect=True)
class TestGuided:
    def test_enter_alone_gets_to_the_deployment(self, said: str) -> None:
        assert DEPLOYING in said, said[-3000:]
        assert "Security Constraints Not Satisfied" not in said

    def test_the_last_question_is_where_the_answers_are_kept(self, said: str) -> None:
        questions = [
            line.strip() for line in said.splitlines() if re.search(r"\[[^\]]*\](?: ?\?)?: *$", line)
        ]
        assert questions[0].startswith("Stack Name [tollgate-dev]")
        assert questions[-1].startswith("SAM configuration environment [default]")

    def test_no_route_is_asked_about(self, said: str) -> None:
        assert "has no authentication" not in said

    def test_every_parameter_is_asked_for(self, said: str, template: Template) -> None:
        asked = re.findall(r"Parameter (\w+) \[", said)
        assert asked == list(template.source["Parameters"])


class TestPublished:
    @pytest.mark.parametrize("artifacts", ["arm64"], indirect=True)
    def test_a_link_opens_a_template_whose_code_is_in_the_bucket(self, link: str, emulator: Emulator) -> None:
        parts = urlsplit(link)
        page, _, query = parts.fragment.partition("?")
        asked = parse_qs(query, strict_parsing=True)
        assert (parts.hostname, page) == ("us-east-1.console.aws.amazon.com", "/stacks/create/review")
        assert asked.keys() == {"templateURL", "stackName"}
        assert urlsplit(asked["templateURL"][0]).hostname == f"{BUCKET}.s3.us-east-1.amazonaws.com"
        body = published(link, emulator)
        assert not re.search(r"^ {6}(?:Code|Content)Uri: (?!s3://)", body, re.MULTILINE)
        files = set(re.findall(rf"s3://{BUCKET}/(\S+)", body))
        page_of_files = Clients.at(emulator.endpoint).s3.list_objects_v2(Bucket=BUCKET)
        assert not page_of_files["IsTruncated"]
        assert {file["Key"] for file in page_of_files["Contents"]} == files | {key_of(link)}


def with_less_code(build: Path, folder: Path) -> Path:
    """Return the template of a build in `folder`, with one file as the code of each function and layer.

    SAM uploads small and large archives alike, and takes a quarter of a minute to compress the build's own.
    """
    template = folder / "template.yaml"
    uri = re.compile(r"(?m)^(      (?:Code|Content)Uri:) (?:.*/)?(\w+)$")
    text, _ = uri.subn(r"\1 \2", (build / "template.yaml").read_text())
    for _, name in uri.findall(text):
        (folder / name).mkdir()
        (folder / name / "code.txt").write_text(name)
    template.write_text(text)
    return template


def key_of(link: str) -> str:
    """Return the key of the template that a link opens."""
    (address,) = parse_qs(urlsplit(link).fragment.partition("?")[2])["templateURL"]
    return urlsplit(address).path[1:]


def published(link: str, emulator: Emulator) -> str:
    """Return the template that a link opens."""
    found = Clients.at(emulator.endpoint).s3.get_object(Bucket=BUCKET, Key=key_of(link))
    return found["Body"].read().decode()


def answered_by_enter(options: list[str], emulator: Emulator) -> str:
    """Run the dialogue in a terminal of its own until it deploys, or ends; return what it showed."""
    ours, its = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    process = subprocess.Popen(
        [SAM, "deploy", "--guided", *options],
        stdin=its,
        stdout=its,
        stderr=its,
        cwd=ROOT,
        env={**environment, **aws_environment(emulator.endpoint), "SAM_CLI_TELEMETRY": "0", "NO_COLOR": "1"},
    )
    os.close(its)
    shown, answered, deadline = "", 0, time.monotonic() + TIMEOUT_S
    try:
        while time.monotonic() < deadline and DEPLOYING not in shown:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                shown += os.read(ours, READ_BYTES).decode(errors="replace").replace("\r", "")
            except OSError:  # the terminal is closed: the program has ended
                break
            if PROMPT.search(re.sub(r"\x1b\[[0-9;]*m", "", shown[answered:])):
                os.write(ours, b"\n")
                answered = len(shown)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)
