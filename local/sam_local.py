"""`make sam-local`: the API in Lambda's own runtime, in containers, over the service that `make run` starts.

`sam local start-api` runs the functions of the gateway as it would on AWS. Tables, queues, providers and
the worker are those of the local service, which listens on loopback; a relay lets the containers in.
"""

import json
import os
import subprocess
import threading
from contextlib import ExitStack
from ipaddress import ip_network
from urllib.parse import urlsplit

from local.clients import Clients, aws_environment
from local.emulator import wait_for
from local.files import ENVIRONMENT, FOLDER, LOGS, SERVICE
from local.processes import LocalError, start, stop
from local.relay import Relay
from local.service import LocalService, provider_secret
from local.template import ROOT

SAM = ROOT / ".local" / "sam" / "bin" / "sam"
BUILT_TEMPLATE = ROOT / ".aws-sam" / "build" / "template.yaml"
IMAGE = "public.ecr.aws/lambda/python:3.13-x86_64"
SECRET = "containers"  # noqa: S105 - its name
LOOPBACK = "127.0.0.1"
DOCKER_TIMEOUT_S = 30


def missing() -> str | None:
    """Say what this machine lacks for it, and what helps; `None` where nothing is missing."""
    if _docker("info") is None:
        return "Docker is not running here. Install and start it; `make run` needs none"
    if _docker("image", "inspect", IMAGE) is None:
        return f"The image {IMAGE} is missing: docker pull {IMAGE}, or make it with local/lambda_image.sh"
    return None


def run_sam_local(port: int, sam_port: int, stopping: threading.Event) -> None:
    """Run the service on `port` and the containers' API on `sam_port` until `stopping` is set.

    Raises `LocalError` for what is missing, and when a part ends by itself.
    """
    if lack := missing():
        raise LocalError(lack)
    host = _bridge()
    service = LocalService(port)
    with ExitStack() as ends:
        ends.callback(service.stop)
        found = service.start()
        known: dict[str, str] = json.loads(ENVIRONMENT.read_text())
        relay = Relay(host, _ports(known["AWS_ENDPOINT_URL"], found.simulatorUrl, found.baseUrl))
        relay.start()
        ends.callback(relay.stop)
        process = _start_sam(known, found.simulatorUrl, host, sam_port)
        ends.callback(stop, process)
        url = f"http://127.0.0.1:{sam_port}"
        # A path that it answers itself: with the first one of ours it makes the image of the function
        wait_for(url, process, "sam local", LOGS / "sam-local.log")
        print(f"The API in containers: {url}   (key and all else: {SERVICE}; Ctrl-C stops it)")
        service.watch(stopping)


def _bridge() -> str:
    """Return the address by which containers see this machine: the first of their network."""
    network = _docker("network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Subnet}}")
    if not network:
        raise LocalError("Docker has no bridge network")
    return str(next(ip_network(network).hosts()))


def _ports(*urls: str) -> list[int]:
    return [port for url in urls if (port := urlsplit(url).port)]


def _start_sam(
    known: dict[str, str], simulator_url: str, host: str, sam_port: int
) -> "subprocess.Popen[bytes]":
    endpoint = known["AWS_ENDPOINT_URL"]
    # The worker goes to the simulator on loopback, the containers by the other address: each its secret
    secret = provider_secret({}, simulator_url.replace(LOOPBACK, host))
    made = Clients.at(endpoint).secrets.create_secret(Name=SECRET, SecretString=secret)
    variables = {name: value.replace(LOOPBACK, host) for name, value in known.items()}
    # Each goes to the functions whose template declares it
    passed = {"Parameters": {**variables, "PROVIDER_SECRET_ARN": made["ARN"]}}
    (FOLDER / "sam-local.json").write_text(json.dumps(passed))
    command = [str(SAM), "local", "start-api", "--template", str(BUILT_TEMPLATE), "--port", str(sam_port)]
    command += ["--env-vars", str(FOLDER / "sam-local.json"), "--parameter-overrides", "LocalEndpoint=here"]
    command += ["--skip-pull-image", "--warm-containers", "LAZY"]
    ours = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**ours, **aws_environment(endpoint), "SAM_CLI_TELEMETRY": "0"}
    return start("sam local", command, environment, LOGS / "sam-local.log")


def _docker(*words: str) -> str | None:
    """Return what a `docker` command says, or `None` where it fails or there is no Docker."""
    try:
        run = subprocess.run(
            ["docker", *words], capture_output=True, text=True, timeout=DOCKER_TIMEOUT_S, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    return run.stdout.strip() if run.returncode == 0 else None
