"""Name resolution by a table, in place of the machine's own."""

import ipaddress
import socket
from collections.abc import Mapping, Sequence
from typing import Any

import pytest


class FakeResolver:
    """Answers `getaddrinfo` from `answers`: for each host the addresses of the 1st, 2nd… look-up.

    The last answer stays. A host without answers does not resolve. Literal addresses are themselves.
    """

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def getaddrinfo(self, host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        """Stand in for `socket.getaddrinfo`."""
        if _is_literal(host):
            return [_entry(host, port)]
        rounds = self._answers.get(host)
        if rounds is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        number = min(self.asked.count(host), len(rounds) - 1)
        self.asked.append(host)
        return [_entry(address, port) for address in rounds[number]]


def resolving(
    monkeypatch: pytest.MonkeyPatch, answers: Mapping[str, Sequence[Sequence[str]]]
) -> FakeResolver:
    """Put a `FakeResolver` in place for one test."""
    resolver = FakeResolver(answers)
    monkeypatch.setattr(socket, "getaddrinfo", resolver.getaddrinfo)
    return resolver


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _entry(address: str, port: int) -> Any:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    where = (address, port, 0, 0) if ":" in address else (address, port)
    return family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", where
