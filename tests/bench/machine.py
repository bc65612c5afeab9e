"""What this machine takes for a hash, a system call and a round trip over loopback: printed by every bench.

A ratio to another server depends on these, so runs of two machines are compared only beside them.
"""

import hashlib
import os
import socket
import statistics
import time
from collections.abc import Callable
from threading import Thread

from rich.console import Console

HASHED_BYTES = 1024
CALLS = 2_000
ROUNDS = 7


def show() -> None:
    """Print the baselines of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        echo = Thread(target=_echo, args=(listening,), daemon=True)
        echo.start()
        with socket.create_connection(listening.getsockname()) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def round_trip() -> None:
                client.sendall(b"x")
                client.recv(1)

            block = bytes(HASHED_BYTES)
            found = {
                "SHA-256 of 1 KiB": microseconds(lambda: hashlib.sha256(block).digest()),
                "a system call": microseconds(os.getppid),
                "a round trip over loopback": microseconds(round_trip),
            }
        echo.join()
    shown = ", ".join(f"{name} {value:.1f} µs" for name, value in found.items())
    Console().print(f"This machine: {os.cpu_count()} cores; {shown}.")


def microseconds(call: Callable[[], object]) -> float:
    """Return the time of a call: the median of some rounds."""
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter() - started) / CALLS * 1e6)
    return statistics.median(rounds)


def _echo(listening: socket.socket) -> None:
    """Send back what the one client sends, until it closes."""
    connection, _ = listening.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while received := connection.recv(1):
            connection.sendall(received)
