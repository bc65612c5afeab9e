"""Starts all parts of `make run` in order, and stops them together."""

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_urlsafe

from local.machine.accounts import balance_cents, open_account
from local.machine.clients import CREDENTIALS, Clients, aws_environment
from local.machine.door import VARIABLE
from local.machine.emulator import Emulator, free_port, wait_for
from local.machine.files import (
    ACCOUNTS_KEY,
    LAMBDA_PATH,
    LOGS,
    STORAGE_PATH,
    Service,
    forget_service,
    write_environment,
    write_service,
)
from local.machine.kept import STATE_TIMEOUT_S, Kept
from local.machine.served import ServedFiles
from local.machine.stack import Stack
from local.processes import STOP_TIMEOUT_S, LocalError, start, stop
from local.simulator import stripe_keys
from local.template import read_template
from tollgate.command.target import DEAD_LETTER_QUEUES
from tollgate.kit.aws import sdk
from tollgate.providers.runtime.accounts import accounts
from tollgate.providers.runtime.declaration import ProviderAccount

FIRST_ACCOUNT_CENTS = 10_000
PROVIDERS = accounts()
"""Providers whose real key may be in a variable. The simulator replaces all others."""
STRIPE = {"secretKey": "STRIPE_SECRET_KEY", "webhookSecret": "STRIPE_WEBHOOK_SECRET"}
"""The variables of Stripe's keys, by their names in the secret."""
MAIL_FROM = "tollgate@example.com"
"""The sender of mails, which the emulator accepts and stores. No mail leaves this machine."""
WATCH_S = 0.5
WARMED = ("/", "/docs", "/dashboard/catalog")
WARM_TIMEOUT_S = 10.0
SWITCHES = ("TOLLGATE_ALLOW_LOOPBACK_WEBHOOKS", "TOLLGATE_ALLOW_LOOPBACK_MEDIA")
"""Variables with which the address guards accept this machine."""
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "TOLLGATE_LOCAL_FOLDER", *SWITCHES, VARIABLE)


class LocalService:
    """The running service: processes for the emulator, the simulator, the API and the worker.

    With `kept` it continues from the last such run; otherwise it starts empty.
    """

    def __init__(self, port: int, kept: Kept | None = None) -> None:
        self.port = port
        self._kept = kept
        self.base_url = f"http://127.0.0.1:{port}"
        self._ends = ExitStack()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> Service:
        """Start all parts and return their addresses and keys. Raises `LocalError` with one line."""
        _check_free(self.port)
        try:
            return self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every started process, the last one first."""
        self._ends.close()

    def watch(self, stopping: threading.Event) -> None:
        """Return when `stopping` is set. Raises `LocalError` if a process ends early."""
        while not stopping.wait(WATCH_S):
            for name, process in self._processes.items():
                if process.poll() is not None:
                    raise LocalError(f"{name} ended; its log: {LOGS / f'{name}.log'}")

    def _start(self) -> Service:
        earlier = self._kept.service(self.base_url) if self._kept else None
        served = ServedFiles()
        emulator = self._start_emulator()
        simulator, simulator_url = self._start_simulator()
        stack = self._make_stack(emulator.endpoint, simulator_url)
        environment = {
            **aws_environment(emulator.endpoint),
            **stack.environment(),
            "AWS_ENDPOINT_URL_LAMBDA": self.base_url + LAMBDA_PATH,
            # For follow-ups of stored files, and for uploads, which are signed for the emulator. The address
            # guard allows no other part of this machine.
            "TOLLGATE_LOCAL_STORAGE_URLS": f"{self.base_url}{STORAGE_PATH} {emulator.endpoint}",
            "TOLLGATE_DEVELOPMENT_SIGN_IN": "1",
            ACCOUNTS_KEY: token_urlsafe(),
            **{variable: stack.refs[queue] for variable, queue in DEAD_LETTER_QUEUES.items()},
        }
        os.environ.update(environment)
        self._ends.callback(forget_service)
        # SES accepts only verified senders. The emulator verifies any address.
        sdk.sesv2().create_email_identity(EmailIdentity=MAIL_FROM)
        write_environment(environment)
        self._start_part("worker", environment, [json.dumps(stack.refs), json.dumps(stack.attributes)])
        api = self._start_part("api", environment, [stack.refs["MediaBucket"], str(self.port)])
        wait_for(f"{simulator_url}/healthz", simulator, "The simulator", LOGS / "simulator.log")
        wait_for(f"{self.base_url}/api/v1/catalog", api, "The API", LOGS / "api.log")
        served.wait()
        key, secret = self._first_account(earlier)
        service = Service(self.base_url, self.base_url + STORAGE_PATH, key, simulator_url, secret)
        write_service(service)
        if self._kept:
            self._kept.remember(service)
        return service

    def _start_emulator(self) -> Emulator:
        log = LOGS / "emulator.log"
        if self._kept is None:
            emulator = Emulator(log, CREDENTIALS)
            timeout_s = STOP_TIMEOUT_S
        else:
            emulator = Emulator(log, {**CREDENTIALS, **self._kept.settings()}, self._kept.emulator_port())
            # It writes its state when it is stopped.
            timeout_s = STATE_TIMEOUT_S
        self._processes["emulator"] = emulator.process
        self._ends.callback(emulator.stop, timeout_s)
        return emulator

    def _first_account(self, earlier: Service | None) -> tuple[str, str]:
        """Return the key and the webhook secret of the kept account, or of a new account."""
        # After a run that was killed, the key exists here, but its account may not.
        if earlier is not None and balance_cents(self.base_url, earlier.apiKey) is not None:
            return earlier.apiKey, earlier.webhookSecret
        opened = open_account(self.base_url, FIRST_ACCOUNT_CENTS)
        return opened["apiKey"], opened["webhookSecret"]

    def _start_simulator(self) -> "tuple[subprocess.Popen[bytes], str]":
        port = free_port()
        webhook = f"{self.base_url}/api/v1/payments/stripe"
        process = self._start_part("simulator", {}, ["--port", str(port), "--payments-webhook", webhook])
        # Not awaited here, so that it starts while the stack is created.
        return process, f"http://127.0.0.1:{port}"

    def _make_stack(self, endpoint: str, simulator_url: str) -> Stack:
        clients = Clients.at(endpoint)
        overrides = {
            "STORAGE_URL": self.base_url + STORAGE_PATH,
            "LIVE_PROVIDERS": ",".join(PROVIDERS),
            "CALLBACK_BASE_URL": self.base_url,
            "DASHBOARD_URL": f"{self.base_url}/dashboard",
            "MAIL_FROM": MAIL_FROM,
            "AWS_ENDPOINT_URL": endpoint,
            "PROBE_FUNCTION": "ProbeMediaFunction",
            "DRAW_FUNCTION": "DrawThumbnailFunction",
            "API_FUNCTION": "ApiFunction",
            "RUN_RESPONSE_FUNCTION": "RunResponseFunction",
            # For load tests and for pages of one origin. If empty, the template's defaults apply.
            "REQUESTS_PER_MINUTE": os.environ.get("REQUESTS_PER_MINUTE", ""),
            "ALLOWED_ORIGIN": os.environ.get("ALLOWED_ORIGIN", ""),
        }
        stack = Stack(read_template(), clients, {"Stage": "local", "LogLevel": "INFO"}, overrides)
        stack.create(
            {
                "ProviderSecret": provider_secret(os.environ, simulator_url),
                "StripeSecret": stripe_secret(os.environ, simulator_url),
            }
        )
        return stack

    def _start_part(
        self, name: str, environment: Mapping[str, str], arguments: list[str]
    ) -> "subprocess.Popen[bytes]":
        ours = {key: os.environ[key] for key in (*_PASSED_ON, "PYTHONPATH") if key in os.environ}
        module = "local.simulator" if name == "simulator" else f"local.machine.{name}"
        process = self._process(module, arguments, {**ours, **environment}, LOGS / f"{name}.log")
        self._keep(name, process)
        return process

    def _process(
        self, module: str, arguments: list[str], environment: Mapping[str, str], log: Path
    ) -> "subprocess.Popen[bytes]":
        return start(module, [sys.executable, "-m", module, *arguments], environment, log)

    def _keep(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        self._processes[name] = process
        self._ends.callback(stop, process)


def warm(base_url: str) -> None:
    """Request the pages that fill shared caches, so that no person waits for that."""
    for path in WARMED:
        # An error also appears for a person who opens the page.
        with suppress(OSError), urllib.request.urlopen(base_url + path, timeout=WARM_TIMEOUT_S):  # noqa: S310 - ours
            pass


def provider_secret(environment: Mapping[str, str], simulator_url: str) -> str:
    """Return the provider secret: real keys from the environment, and the simulator for the others."""
    secret = {
        name: _real(environment, account)
        or {"key": "simulated", "baseUrl": f"{simulator_url}{account.simulator_path}"}
        for name, account in PROVIDERS.items()
    }
    return json.dumps(secret)


def _real(environment: Mapping[str, str], account: ProviderAccount) -> dict[str, str] | None:
    """Return a provider's real credentials, if the environment has them all."""
    names = {"key": account.key_env, "baseUrl": account.address_env}
    found = {part: environment.get(name, "") for part, name in names.items() if name is not None}
    return found if all(found.values()) else None


def stripe_secret(environment: Mapping[str, str], simulator_url: str) -> str:
    """Return the secret of payments: Stripe's keys from the environment, or the simulated Stripe's."""
    keys = {name: environment.get(variable) for name, variable in STRIPE.items()}
    simulated = {
        "secretKey": stripe_keys.SECRET_KEY,
        "webhookSecret": stripe_keys.WEBHOOK_SECRET,
        "baseUrl": simulator_url + stripe_keys.PREFIX,
    }
    return json.dumps(keys if all(keys.values()) else simulated)


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as exc:
            raise LocalError(f"Port {port} is taken. Choose another: make run PORT=8081") from exc
