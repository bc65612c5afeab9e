"""One cold start, as a process of its own: imports a handler, calls it, and prints the CPU it took as JSON.

Started by `coldstart.py` with the runtime's Python and only the built folders on the path, so it knows
nothing but the standard library.
"""

import importlib
import json
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

WARM_CALLS = 20


class Context:
    """What handlers use of Lambda's context."""

    function_name = memory_limit_in_mb = invoked_function_arn = aws_request_id = "bench"

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        """Return the time left."""
        return 30_000


def cpu_ms() -> float:
    """Return the CPU time of this process since it was started, all of its threads."""
    return time.process_time() * 1000


def main(modules: list[str], handler: str, event: str) -> None:
    """Import `modules`, then call `handler` (`module.name`, or nothing) with the event in a file."""
    began = cpu_ms()
    for module in modules:
        importlib.import_module(module)
    found = {"init": cpu_ms() - began}
    if handler:
        module, _, name = handler.rpartition(".")
        call = getattr(importlib.import_module(module), name)
        with Path(event).open(encoding="utf-8") as file, redirect_stdout(StringIO()):
            body = json.load(file)
            began = cpu_ms()
            call(body, Context())
            found["first"] = cpu_ms() - began
            began = cpu_ms()
            for _ in range(WARM_CALLS):
                call(body, Context())
            found["warm"] = (cpu_ms() - began) / WARM_CALLS
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1].split(","), sys.argv[2], sys.argv[3])
