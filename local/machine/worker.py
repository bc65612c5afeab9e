"""`python -m local.machine.worker REFS ATTRIBUTES`: the process for streams, queues and schedules.

The arguments are the stack's names as JSON. `pump.py` reads the events.
"""

import json
import os
import signal
import sys
import threading

from local.machine import lineage
from local.machine.clients import Clients
from local.machine.pump import Pump
from local.machine.stack import Stack
from local.template import read_template
from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.composition import deliver_webhook as deliver_webhook_parts
from tollgate.composition import dispatch_changes as dispatch_changes_parts
from tollgate.composition import notify_members as notify_members_parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.composition import refill_balance as refill_balance_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.composition import sweep as sweep_parts
from tollgate.kit.aws import sdk

PARTS = (
    dispatch_changes_parts.dispatcher,
    run_task_parts.step_runner,
    deliver_webhook_parts.webhook_sender,
    record_usage_parts.usage_recorder,
    refill_balance_parts.refill,
    notify_members_parts.notifier,
    notify_members_parts.reminders,
    sweep_parts.sweeper,
    close_accounts_parts.closure_worker,
)
"""The parts that the handlers use."""


def main() -> None:
    """Deliver events until the process is ended."""
    lineage.attach(sdk.sqs())
    clients = Clients.at(os.environ["AWS_ENDPOINT_URL"])
    stack = Stack(read_template(), clients, parameters={})
    stack.refs, stack.attributes = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    # Before any thread starts, because threads that start together would each create all parts.
    for join in PARTS:
        join()
    pump = Pump(stack, clients)
    pump.start()
    stopping.wait()
    pump.stop()


if __name__ == "__main__":
    main()
