"""`make focus-truth`: focus-validator, of the FinOps Foundation, reads a FOCUS file of ours.

Its own environment has 600 MB of packages. Its rules are in `tests/unit/exports/test_focus.py`.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tollgate.exports.focus import COLUMNS, KINDS, row_of
from tollgate.kit.csv_table import as_csv
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.entries import Entry, EntryKind, charge_entry, refund_of
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.trace import Trace

# What we have of what FOCUS makes optional. There is no invoice, no region and no commitment.
CRITERIA = "PUBLIC_PRICE_LIST_SUPPORTED,UNIT_PRICING_SUPPORTED,USAGE_MEASUREMENT_SUPPORTED,TAGGING_SUPPORTED"
# InvoiceId-C-004-C requires a null, and this one a value. One of the two always fails.
EXPECTED = {"InvoiceId-C-005-C"}
AT_MS = 1_795_000_000_000
TIMEOUT_S = 120


def sample() -> list[Entry]:
    """Return an entry of each kind."""
    labels = Attribution("alice", {"team": "search"}, "proj_1", "run_1")
    charge = charge_entry("usr_1", "task_1", "z-image", 30_000, AT_MS, key_id="key_1", attribution=labels)
    usage = {"input_tokens": 10, "cache_read_tokens": 5, "output_tokens": 20, "reasoning_tokens": 3}
    searching, trace = {"input_tokens": 10, "web_searches": 3}, Trace(prices={"web_searches": "10000.00"})
    texts = [
        text_entry(
            "usr_1", f"req_{n}", model="gpt-5.4-mini", charge_micro_usd=n * 63, usage=counts, now_ms=AT_MS
        )
        for n, counts in enumerate(({}, usage))
    ]
    texts.append(
        text_entry(
            "usr_1",
            "req_3",
            model="gpt-6-luna",
            charge_micro_usd=30_063,
            usage=searching,
            now_ms=AT_MS,
            trace=trace,
        )
    )
    moved = [
        Entry("usr_1", f"{kind}_1", kind, amount, AT_MS, reference="pi_1")
        for kind, amount in ((EntryKind.CREDIT, 5_000_000), (EntryKind.DEBIT, -1), (EntryKind.VOID, 0))
    ]
    return [charge, refund_of(charge, AT_MS), *texts, *moved]


def main() -> int:
    """Print the rules that fail; return 0 if they are the expected ones."""
    validator = Path(sys.argv[1]).resolve()
    rows = [row_of(entry, AT_MS - 40 * 86_400_000) for entry in sample() if entry.kind in KINDS]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "focus.csv")
        file.write_text(as_csv(COLUMNS, rows))
        found = subprocess.run(
            [validator, "--data-file", file, "--validate-version", "1.2", "--block-download",
             "--applicability-criteria", CRITERIA],
            # It looks for its list of currencies there.
            cwd=next(validator.parents[1].glob("lib/python3*/site-packages")),
            capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    failed = set(re.findall(r"([\w-]+): FAIL", found.stdout))
    totals = [line for line in found.stdout.splitlines() if "Total:" in line]
    sys.stdout.write("\n".join([*totals, f"failed: {', '.join(sorted(failed)) or found.stderr}", ""]))
    return 0 if failed == EXPECTED and found.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
