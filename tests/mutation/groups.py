"""The groups of `make mutants`: files, and the tests that should notice a change of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_CODE = "shared/tollgate"


def _functional(*names: str) -> Iterator[str]:
    """Yield the functional tests with these names. Raises `ValueError` if there is none."""
    for name in names:
        (file,) = Path("tests/functional").rglob(f"test_{name}.py")
        yield str(file)


class Group(NamedTuple):
    """Patterns of files to change, and paths of tests. `emulator`: some of the tests run on MiniStack."""

    files: list[str]
    tests: list[str]
    emulator: bool = False


GROUPS = {
    "ledger": Group(
        # The files that begin with b are those of budgets.
        [f"{_CODE}/ledger/[!b]*.py"],
        [
            *(
                f"tests/unit/{name}"
                for name in (
                    "ledger",
                    "usage",
                    "kit/test_errors.py",
                    "kit/test_repeats.py",
                    "text/test_billing.py",
                    "text/test_billing_rules.py",
                )
            ),
            *_functional(
                "admin",
                "budgets",
                "check_ledger",
                "close_accounts",
                "dashboard_activity",
                "dashboard_statements",
                "payment_claims",
                "quotes",
                "requests",
                "run_tokens",
                "statistics",
                "subaccounts",
                "sweep",
                "task_api",
            ),
        ],
    ),
    "billing": Group(
        [
            *(f"{_CODE}/text/money/{name}.py" for name in ("billing", "endings", "metering", "placing")),
            f"{_CODE}/catalog/pricing.py",
        ],
        [
            *(
                f"tests/unit/text/test_{name}.py"
                for name in (
                    "billed_speeds",
                    "billing",
                    "billing_rules",
                    "leaving",
                    "metering",
                    "renewals",
                    "rerank",
                    "reserves",
                    "text_markup",
                    "transcription",
                )
            ),
            *(
                f"tests/unit/ledger/test_{name}.py"
                for name in ("wallets", "late_settlements", "caps", "budget_rules")
            ),
            "tests/unit/catalog/test_quote.py",
            "tests/unit/tasks/test_estimate_is_the_debit.py",
        ],
    ),
    "keys": Group(
        [f"{_CODE}/accounts/*.py"],
        [
            "tests/unit/accounts",
            *_functional(
                "access_log",
                "api",
                "api_keys",
                "api_keys_at_once",
                "connector_routes",
                "dashboard_answers",
                "notices_in_time",
                "notify_members",
                "projects",
                "requests",
                "run_tokens",
                "subaccounts",
                "task_routing",
            ),
        ],
    ),
    "lifecycle": Group(
        [f"{_CODE}/tasks/lifecycle.py", f"{_CODE}/tasks/finalizer.py"],
        ["tests/unit/tasks", "tests/functional/test_run_task.py", "tests/functional/test_task_api.py"],
    ),
    "routing": Group(
        [
            *(f"{_CODE}/providers/runtime/{name}.py" for name in ("routing", "health")),
            f"{_CODE}/text/wire/faults.py",
            f"{_CODE}/text/routes/breaker.py",
            *(f"{_CODE}/routing/{name}.py" for name in ("selection", "speeds", "wishes")),
        ],
        [
            "tests/unit/routing",
            *(f"tests/unit/providers/test_{name}.py" for name in ("routing", "health")),
            *(f"tests/unit/text/test_{name}.py" for name in ("faults", "breaker", "text_service")),
        ],
    ),
    "budgets": Group(
        [f"{_CODE}/budgets/*.py", f"{_CODE}/text/money/budgets.py", f"{_CODE}/ledger/budget*.py"],
        [
            "tests/unit/ledger/test_budget_rules.py",
            "tests/unit/text/test_billing_rules.py",
            *_functional(
                "budgets",
                "dashboard_budgets",
                "run_tokens",
                "subaccounts",
                "task_routing",
                "webhook_addresses",
            ),
        ],
    ),
    "batches": Group(
        [f"{_CODE}/batches/*.py", f"{_CODE}/text/upstream/vendor_batches.py"],
        [
            "tests/unit/batches",
            "tests/unit/providers/test_vendor_batches.py",
            *_functional(
                "dashboard_jobs",
                "run_batch",
                "run_batch_later",
                "run_batch_odd_answers",
                "run_batch_parcels",
                "run_batch_repeats",
                "run_batch_vendors",
            ),
        ],
        emulator=True,
    ),
    "workflows": Group(
        [f"{_CODE}/workflows/*.py", f"{_CODE}/quotes/*.py"],
        [
            "tests/unit/workflows",
            *_functional("quotes", "text_quotes", "workflow_chats", "workflow_options", "workflows"),
        ],
        emulator=True,
    ),
    "cache": Group(
        [f"{_CODE}/text/serving/answer_cache.py"],
        ["tests/functional/text/test_text_cache.py", "tests/functional/text/test_text_chat_images.py"],
        emulator=True,
    ),
    "lanes": Group(
        [f"{_CODE}/webhooks/{name}.py" for name in ("repository", "schedule", "sender", "failing_endpoints")],
        [
            "tests/unit/webhooks",
            *_functional("deliver_webhook", "notices_in_time", "webhook_crashes"),
        ],
    ),
    "permissions": Group(
        [
            *(f"{_CODE}/{name}/*.py" for name in ("accounts", "members", "operator")),
            f"{_CODE}/text/**/*.py",
            "functions/**/*.py",
        ],
        ["tests/unit", "tests/functional"],
    ),
}
