"""Runs MiniStack on uvicorn: a request takes half the CPU that it takes on MiniStack's own server.

`local/machine/emulator.py` starts this file as a script, with MiniStack's settings in the environment.
"""

import os
import sys
from pathlib import Path

import uvicorn

(PACKAGES,) = Path(__file__).parents[2].glob(".local/ministack/lib/python3*/site-packages")
"""MiniStack and its dependencies."""
KEEP_ALIVE_S = 75
"""For how long an unused connection stays open: as MiniStack's own server has it."""
GRACE_S = 1
"""For how long it answers pending requests when it is stopped. A poll of a queue can wait for 20 s."""


def main() -> None:
    """Serve until the process is ended. MiniStack then writes its state, if it keeps one."""
    # At the end: of packages that both environments have, ours are built for this Python.
    sys.path.append(str(PACKAGES))
    uvicorn.run(
        "ministack.app:app",
        host=os.environ["BIND_HOST"],
        port=int(os.environ["GATEWAY_PORT"]),
        log_level=os.environ["LOG_LEVEL"].lower(),
        access_log=False,
        # MiniStack adds them itself.
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACE_S,
    )


if __name__ == "__main__":
    main()
