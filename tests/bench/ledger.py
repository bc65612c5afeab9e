"""`make bench-ledger`: what the proof of one account with a million entries costs.

The worker's own code and client ask a far end of ours over HTTP that answers as DynamoDB does: pages of 1 MB
of whole rows, of which the fields asked for are given. It runs in a process of its own, so what is measured
is the worker alone. What AWS takes for a page is not measured but assumed, and said.
"""

import json
import multiprocessing
import os
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rich.console import Console
from rich.table import Table

from local.machine.clients import aws_environment
from tests.bench import machine
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_S, SystemClock
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.ledger.checkpoints import Checkpoints
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.service import LedgerAudit

ENTRIES = 1_000_000
MONTH = 10_000_000
PAGE_BYTES = 1024 * 1024
"""Of whole rows: what DynamoDB reads for one page of a query."""
AWS_PAGE_MS = 30
"""Assumed for a page of 1 MB in one region; measure it in the stack that matters."""
TARGET_S = 5 * 60
ACCOUNT = "usr_01JD5R6Q00EXAMP1EACCT00001"
FIELDS = ("entry_id", "kind", "amount_micro_usd", "created_at_ms", "answers")
BEGIN_MS = 1_700_000_000_000
BALANCE = 10**12


def rows(first: int, last: int) -> list[dict[str, Any]]:
    """Return entries as rows: 18 of 20 are texts, one a charge and one its refund, in the order of time."""
    found = []
    for n in range(first, last):
        at_ms, kind = BEGIN_MS + n * 200, n % 20
        task_id = f"task_01M7XZCT3CMQ7NE5{n - kind:010d}"
        if kind == 0:
            entry = charge_entry(ACCOUNT, task_id, "seedance-1.5-pro", 220_000, at_ms)
        elif kind == 1:
            entry = refund_of(charge_entry(ACCOUNT, task_id, "seedance-1.5-pro", 220_000, at_ms), at_ms)
        else:
            usage = {"input_tokens": 1234, "output_tokens": 567}
            request_id = f"req_01M7XZCT3CMQ7NE5{n:010d}"
            entry = text_entry(
                ACCOUNT, request_id, model="gpt-5.4-mini", charge_micro_usd=63, usage=usage, now_ms=at_ms
            )
        found.append(to_attributes(entry.to_item()))
    return found


def page_size() -> int:
    """Return how many rows DynamoDB reads for a page, by their average size."""
    sample = rows(0, 2000)
    return PAGE_BYTES // (sum(_row_bytes(row) for row in sample) // len(sample))


def _row_bytes(row: Mapping[str, Any]) -> int:
    """The size of a row about as DynamoDB counts it: names and values, numbers at half their digits."""
    return sum(len(name) + _value_bytes(value) for name, value in row.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, held),) = value.items()
    if kind == "M":
        return 3 + sum(1 + len(name) + _value_bytes(each) for name, each in held.items())
    return len(held) // 2 + 1 if kind == "N" else len(str(held))


class FarEnd(BaseHTTPRequestHandler):
    """DynamoDB, as far as the proof asks it."""

    protocol_version = "HTTP/1.1"
    size = 0

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(self.answer(self.headers["x-amz-target"].rpartition(".")[2], asked)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/x-amz-json-1.0")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self, operation: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "GetItem":
            if asked["TableName"] == "Checkpoints":
                return {}
            balance = -63 * (ENTRIES // 20 * 18)
            return {"Item": to_attributes({"account_id": ACCOUNT, "balance_micro_usd": BALANCE + balance})}
        if operation == "Query":
            return self.page(asked)
        return {}

    def page(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return a page of the entries, the credit of the beginning before them."""
        first_ms = int(asked["ExpressionAttributeValues"].get(":first", {"N": "0"})["N"])
        if first_ms > BEGIN_MS + ENTRIES * 200:
            return {"Items": [], "Count": 0}
        start = int(asked.get("ExclusiveStartKey", {}).get("created_at_ms", {"N": "0"})["N"])
        end = min(start + self.size, ENTRIES)
        items = [{name: row[name] for name in FIELDS if name in row} for row in rows(start, end)]
        if start == 0:
            first = Entry(ACCOUNT, "credit_1", EntryKind.CREDIT, BALANCE, 1)
            items.insert(0, to_attributes(first.to_item()))
        answer: dict[str, Any] = {"Items": items, "Count": len(items)}
        return answer | ({"LastEvaluatedKey": {"created_at_ms": {"N": str(end)}}} if end < ENTRIES else {})

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def serve(size: int, port: Any) -> None:
    """Serve until the process is ended; tell the port."""
    FarEnd.size = size
    server = ThreadingHTTPServer(("127.0.0.1", 0), FarEnd)
    port.send(server.server_address[1])
    server.serve_forever()


def main() -> None:
    """Measure, and print a table."""
    size = page_size()
    receiver, sender = multiprocessing.Pipe()
    far_end = multiprocessing.get_context("spawn").Process(target=serve, args=(size, sender), daemon=True)
    far_end.start()
    os.environ.update(aws_environment(f"http://127.0.0.1:{receiver.recv()}"))
    db = Database(sdk.dynamodb())
    ledger, checkpoints = LedgerRepository(db, "Accounts", "Ledger"), Checkpoints(db, "Checkpoints")
    audit = LedgerAudit(ledger, checkpoints, SystemClock())
    shown = Table("proof of 1 000 000 entries", "CPU s", "pages of 1 MB", f"10 M, s, {AWS_PAGE_MS} ms a page")
    for name, full in (("what is new (by time)", False), ("all (by id)", True)):
        began_s = time.process_time()
        checked = audit.check(ACCOUNT, full=full)
        cpu_s = time.process_time() - began_s
        if checked.drift is not None or checked.entries != ENTRIES + 1:
            raise SystemExit(f"the proof is wrong: {checked}")
        pages = ENTRIES // size + 1
        month_s = (cpu_s + pages * AWS_PAGE_MS / MS_PER_S) * MONTH / ENTRIES
        shown.add_row(name, f"{cpu_s:.1f}", str(pages), f"{month_s:.0f} (at most {TARGET_S})")
    far_end.terminate()
    far_end.join()
    Console().print(shown)
    machine.show()


if __name__ == "__main__":
    main()
