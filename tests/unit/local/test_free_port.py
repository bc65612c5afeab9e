"""Ports for processes that start later: none is given twice, and no outgoing connection has it by then."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from local.machine import emulator
from local.machine.emulator import free_port
from local.processes import LocalError
from local.template import ROOT
from tests.support.missing import missing

EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
ASK = "from local.machine import emulator; emulator.PORTS = range({0}, {0} + 1); emulator.free_port()"


@pytest.fixture
def only_port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return a port that is free; no other one is there to be given."""
    monkeypatch.setattr(emulator, "PORTS", range(found := free_port() - 12_000, found + 1))
    return found


class TestFreePort:
    def test_one_that_nobody_listens_at_yet_is_given_once(self, only_port: int) -> None:
        assert free_port() == only_port
        with pytest.raises(LocalError, match="No port is free"):
            free_port()

    def test_nor_is_it_given_to_another_process(self, only_port: int) -> None:
        assert free_port() == only_port
        asked = subprocess.run(
            [sys.executable, "-c", ASK.format(only_port)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "LocalError: No port is free" in asked.stderr

    def test_one_that_somebody_listens_at_is_not_given(self, only_port: int) -> None:
        with socket.create_server(("127.0.0.1", only_port)), pytest.raises(LocalError):
            free_port()

    @pytest.mark.skipif(not EPHEMERAL.exists(), reason="Linux says so in a file")
    def test_no_outgoing_connection_has_it(self) -> None:
        first, last = map(int, EPHEMERAL.read_text().split())
        if (first, last) != (32_768, 60_999):
            missing("this machine's outgoing ports are not Linux's own")
        assert max(emulator.PORTS) < first
