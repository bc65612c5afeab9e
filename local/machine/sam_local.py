"""`make sam-local`: the API in containers with Lambda's runtime, and the other parts of `make run`.

`sam local start-api` runs the gateway's functions like on AWS. Tables, queues, providers and the worker
belong to the local service, which listens on loopback. Containers reach them through a relay.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from http import HTTPStatus
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from samtranslator.yaml_helper import yaml_parse

from local.deploy.build import SAM, architecture, build
from local.machine import door
from local.machine.clients import Clients, aws_environment
from local.machine.emulator import wait_for
from local.machine.files import ENVIRONMENT, FOLDER, LOGS, SERVICE
from local.machine.relay import Relay
from local.machine.service import SWITCHES, LocalService, provider_secret
from local.processes import LocalError, start, stop
from tollgate.kit.settings import QUEUES, TABLES

IMAGE = "public.ecr.aws/lambda/python:3.13"
"""SAM's image for functions. Its tag ends with the processor."""
DOCKER_PROCESSORS = {"x86_64": "amd64", "arm64": "arm64"}
"""Docker's names of Lambda's processors."""
SECRET = "containers"  # noqa: S105 - its name
LOOPBACK = "127.0.0.1"
READY_PATH = "/api/v1/catalog/test-image"
"""The API serves it without a key. `/` belongs to the dashboard, another function with another image."""
DOCKER_TIMEOUT_S = 30
PULL_TIMEOUT_S = 600
FIRST_ANSWER_S = 300.0
"""The first request to a function waits until Docker has built its image, with its layers."""
INSTEAD = "`make run` needs no Docker"


def missing() -> str | None:
    """Return the missing prerequisite for containers, with advice; `None` if this machine can run them.

    A missing image is pulled, which can take minutes. Raises `LocalError` for a processor that Lambda does
    not have.
    """
    ours = architecture()
    if sys.platform != "linux":
        return f"Containers reach this service by Docker's bridge, which only Linux has; {INSTEAD}"
    if shutil.which("docker") is None:
        return f"Docker is not installed here (Debian: apt-get install docker.io); {INSTEAD}"
    docker = _docker("version", "--format", "{{.Server.Arch}}")
    if docker is None:
        return f"Docker does not run, or not for this user (systemctl start docker; group docker); {INSTEAD}"
    if docker != DOCKER_PROCESSORS[ours]:
        return f"This machine is {ours}, but its Docker is {docker} and cannot run this build; {INSTEAD}"
    return _image_lack(image_for(ours), docker)


def image_for(processor: str) -> str:
    """Return the image with which SAM runs functions for a processor."""
    return f"{IMAGE}-{processor}"


def run_sam_local(port: int, sam_port: int, stopping: threading.Event) -> None:
    """Run the service on `port` and the containers' API on `sam_port` until `stopping` is set.

    Builds the functions for this machine's processor first. Raises `LocalError` if something is missing, if
    the API in its container does not respond, and if a process ends early.
    """
    if lack := missing():
        raise LocalError(lack)
    host = _bridge()
    print(f"Building the functions for {architecture()}", flush=True)
    built = build(architecture())
    # The containers use that address to call this service.
    os.environ[door.VARIABLE] = f"{os.environ.get(door.VARIABLE, '')} {host}"
    service = LocalService(port)
    with ExitStack() as ends:
        ends.callback(service.stop)
        found = service.start()
        known: dict[str, str] = json.loads(ENVIRONMENT.read_text())
        relay = Relay(host, _ports(known["AWS_ENDPOINT_URL"], found.simulatorUrl, found.baseUrl))
        relay.start()
        ends.callback(relay.stop)
        process = _start_sam(built, known, found.simulatorUrl, host, sam_port)
        ends.callback(stop, process)
        url = f"http://127.0.0.1:{sam_port}"
        print("Waiting for the first answer from a container", flush=True)
        wait_for_api(url, process)
        print(f"The API in containers: {url}   (key and all else: {SERVICE}; Ctrl-C stops it)")
        service.watch(stopping)


def wait_for_api(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait for one response. It is one request, because SAM starts another container for each new request."""
    log = LOGS / "sam-local.log"
    status = wait_for(url + READY_PATH, process, "sam local", log, FIRST_ANSWER_S, answer_s=FIRST_ANSWER_S)
    if status != HTTPStatus.OK:
        raise LocalError(f"The API in its container answers {status} to {READY_PATH}; the log: {log}")


def _bridge() -> str:
    """Return this machine's address in the containers' network, which is the first one."""
    network = _docker("network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Subnet}}")
    if not network:
        raise LocalError("Docker has no bridge network")
    return str(next(ip_network(network).hosts()))


def _ports(*urls: str) -> list[int]:
    return [port for url in urls if (port := urlsplit(url).port)]


def _start_sam(
    built: Path, known: dict[str, str], simulator_url: str, host: str, sam_port: int
) -> "subprocess.Popen[bytes]":
    endpoint = known["AWS_ENDPOINT_URL"]
    # The worker and the containers use different addresses of the simulator, so each has a secret.
    secret = provider_secret({}, simulator_url.replace(LOOPBACK, host))
    made = Clients.at(endpoint).secrets.create_secret(Name=SECRET, SecretString=secret)
    variables = packed_variables({name: value.replace(LOOPBACK, host) for name, value in known.items()})
    # Functions receive only the variables that their template declares.
    passed = {"Parameters": {**variables, "PROVIDER_SECRET_ARN": made["ARN"]}}
    (FOLDER / "sam-local.json").write_text(json.dumps(passed))
    template = str(with_environment(built, os.environ))
    command = [str(SAM), "local", "start-api", "--template", template, "--port", str(sam_port)]
    command += [
        "--env-vars",
        str(FOLDER / "sam-local.json"),
        "--skip-pull-image",
        "--warm-containers",
        "LAZY",
    ]
    command += ["--parameter-overrides", "LocalEndpoint=here", f"Architecture={architecture()}"]
    ours = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**ours, **aws_environment(endpoint), "SAM_CLI_TELEMETRY": "0"}
    return start("sam local", command, environment, LOGS / "sam-local.log")


def packed_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables in the template's form, with tables and queues combined into one variable each."""
    tables = {name.removesuffix("_TABLE"): value for name, value in variables.items() if _is_table(name)}
    queues = {name.removesuffix("_URL"): value for name, value in variables.items() if _is_queue(name)}
    return {
        **{name: value for name, value in variables.items() if not _is_table(name) and not _is_queue(name)},
        TABLES: ",".join(f"{name.lower()}={value}" for name, value in tables.items()),
        QUEUES: ",".join(f"{name.lower()}={value}" for name, value in queues.items()),
    }


def _is_table(name: str) -> bool:
    return name.endswith("_TABLE")


def _is_queue(name: str) -> bool:
    return name.endswith(("_QUEUE_URL", "_DLQ_URL"))


def with_environment(built: Path, given: Mapping[str, str]) -> Path:
    """Write a template with the switches in `given` beside the built template, and return its path.

    SAM passes a container only variables that its template declares.
    """
    template = yaml_parse((built / "template.yaml").read_text())
    variables = template["Globals"]["Function"]["Environment"]["Variables"]
    variables.update({name: given[name] for name in SWITCHES if name in given})
    target = built / "sam-local.yaml"
    target.write_text(yaml.safe_dump(template, sort_keys=False))
    return target


def _image_lack(image: str, docker: str) -> str | None:
    found = _processor_of(image) or (_pulled(image) and _processor_of(image))
    if not found:
        return f"{image} is missing and cannot be pulled: `sudo make lambda-image` builds it in some minutes"
    if found != docker:
        return f"{image} is for {found}, not for {docker}: docker rmi {image}, then start again"
    return None


def _processor_of(image: str) -> str | None:
    return _docker("image", "inspect", image, "--format", "{{.Architecture}}")


def _pulled(image: str) -> bool:
    print(f"Pulling {image}", flush=True)
    return _docker("pull", "--quiet", image, timeout_s=PULL_TIMEOUT_S) is not None


def _docker(*words: str, timeout_s: float = DOCKER_TIMEOUT_S) -> str | None:
    """Return the output of a `docker` command, or `None` if it fails."""
    try:
        run = subprocess.run(
            ["docker", *words], capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
