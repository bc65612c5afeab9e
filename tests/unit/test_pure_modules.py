"""Rules decide, edges act: a module is pure unless it stands where effects have their place.

Pure is who reaches no AWS, HTTP or handler code, not even through others. That is the rule for every module,
a new one too; those that act are told by their place and name. A module whose docstring says "Pure." is held
to it wherever it stands.
"""

import ast
from fnmatch import fnmatchcase
from pathlib import Path

import grimp
import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
EDGES = frozenset(
    ("boto3", "botocore", "httpx", "httptools", "stripe", "fastapi", "mangum", "aws_lambda_powertools")
)
ACTING = (
    "tollgate.__main__",
    # Whole rooms: they join the parts, or are programs of their own.
    "tollgate.composition.*",
    "tollgate.command.*",
    "tollgate.mcp.*",
    "tollgate.operator.*",
    # What every feature has: its table, and what is done with it.
    "tollgate.*.repository",
    "tollgate.batches.attempts",
    "tollgate.batches.calls",
    "tollgate.batches.collecting",
    "tollgate.batches.finding",
    "tollgate.batches.finishing",
    "tollgate.batches.reader",
    "tollgate.batches.parcel_money",
    "tollgate.batches.parcel_worker",
    "tollgate.batches.vendor_calls",
    "tollgate.batches.worker",
    "tollgate.budgets.monitor",
    "tollgate.ledger.budget_mover",
    "tollgate.ledger.budget_repository",
    "tollgate.ledger.family_repository",
    "tollgate.ledger.wallet_repository",
    "tollgate.tasks.charges",
    "tollgate.tasks.priced",
    "tollgate.text.budgets",
    "tollgate.text.drawing",
    "tollgate.text.responses.stopped",
    "tollgate.text.wallets",
    "tollgate.subaccounts.closing",
    "tollgate.*.service",
    "tollgate.*_service",
    "tollgate.*.client",
    "tollgate.visits.visitor",
    "tollgate.workflows.chat_steps",
    "tollgate.workflows.media_steps",
    "tollgate.workflows.pricing",
    "tollgate.workflows.reader",
    "tollgate.workflows.worker",
    # AWS, the network and the log.
    "tollgate.kit.aws.async_invoke",
    "tollgate.kit.aws.async_queue",
    "tollgate.kit.aws.batches",
    "tollgate.kit.aws.json_protocol",
    "tollgate.kit.aws.role_bucket",
    "tollgate.kit.aws.s3_*",
    "tollgate.kit.aws.sdk",
    "tollgate.kit.dynamodb.*database",
    "tollgate.kit.dynamodb.changes",
    "tollgate.kit.dynamodb.core",
    "tollgate.kit.dynamodb.due_index",
    "tollgate.kit.http.outbound",
    "tollgate.kit.observability",
    "tollgate.kit.retry",
    "tollgate.mail.sender",
    # Keys are looked up, files moved, sessions kept.
    "tollgate.accounts.*auth",
    "tollgate.audit.refusals",
    "tollgate.artifacts.files",
    "tollgate.artifacts.inputs",
    "tollgate.artifacts.prompt_files",
    "tollgate.artifacts.store",
    "tollgate.tasks.deletion",
    "tollgate.tasks.examples",
    "tollgate.tasks.sharing",
    "tollgate.thumbnails.generator",
    "tollgate.connectors.documents",
    "tollgate.web.chat_keys",
    "tollgate.web.cognito",
    "tollgate.web.second_factor",
    "tollgate.web.other_services",
    "tollgate.web.development",
    "tollgate.web.sessions",
    "tollgate.web.sign_ins",
    "tollgate.members.identities",
    "tollgate.members.recipients",
    "tollgate.members.service",
    # What reads the ledger and the counts page by page.
    "tollgate.ledger.checkpoints",
    "tollgate.ledger.reader",
    "tollgate.ledger.statement",
    "tollgate.exports.bucket",
    "tollgate.exports.focus_file",
    "tollgate.exports.offers",
    "tollgate.exports.sender",
    "tollgate.exports.service",
    "tollgate.low_balance.refill",
    # The end of an account, step by step.
    "tollgate.account_closure.erasure",
    "tollgate.account_closure.service",
    "tollgate.account_closure.user_pool",
    "tollgate.account_closure.worker",
    "tollgate.low_balance.service",
    "tollgate.low_balance.monitor",
    "tollgate.notices.reminders",
    "tollgate.accounts.cap_monitor",
    "tollgate.webhooks.failing_endpoints",
    "tollgate.seals.sealer",
    "tollgate.usage.monthly_statements",
    "tollgate.usage.openrouter",
    "tollgate.usage.recorder",
    "tollgate.usage.route_repository",
    # Asking providers, and remembering how they did.
    "tollgate.providers.media.*.media",
    "tollgate.providers.runtime.adapter",
    "tollgate.providers.runtime.http",
    "tollgate.providers.runtime.health_store",
    "tollgate.probing.recordings",
    "tollgate.probing.remote",
    # A process of its own opens the file; the log says what became of it.
    "tollgate.probing.documents",
    "tollgate.probing.reader",
    "tollgate.ledger.expiry",
    "tollgate.probing.tracks",
    # What moves a task; its rules are in `lifecycle.py`.
    "tollgate.tasks.audit",
    "tollgate.tasks.callbacks",
    "tollgate.tasks.dispatch",
    "tollgate.tasks.finalizer",
    "tollgate.tasks.reader",
    "tollgate.tasks.reports",
    "tollgate.tasks.sources",
    "tollgate.tasks.step",
    "tollgate.tasks.sweep",
    "tollgate.tasks.watch",
    # A text request under way.
    "tollgate.text.answer_cache",
    "tollgate.text.attempt",
    "tollgate.text.billing",
    "tollgate.text.endings",
    "tollgate.text.placing",
    "tollgate.text.renewals",
    "tollgate.text.route_measures",
    "tollgate.text.switches",
    "tollgate.text.reports",
    "tollgate.text.responses.background",
    "tollgate.text.responses.follow",
    "tollgate.text.responses.parts",
    "tollgate.text.request_counter",
    "tollgate.text.event_stream",
    "tollgate.text.middleware",
    "tollgate.text.response",
    "tollgate.text.responses.conversations",
    "tollgate.text.responses.keeping",
    "tollgate.text.responses.rendering",
    "tollgate.text.responses.storage",
    "tollgate.webhooks.sender",
)
"""The modules that may act, by place and name."""

GRAPH = grimp.build_graph("tollgate", include_external_packages=True)
OURS = frozenset(name for name in GRAPH.modules if name.split(".")[0] == "tollgate")


def acting() -> frozenset[str]:
    """Return our modules that reach an edge, directly or through others."""
    return frozenset().union(*(GRAPH.find_downstream_modules(edge) for edge in EDGES & GRAPH.modules)) & OURS


def may_act(module: str) -> bool:
    """Return whether a module's place is one where effects are at home."""
    return any(fnmatchcase(module, pattern) for pattern in ACTING)


def says_pure(module: str) -> bool:
    """Return whether a module's docstring says that it is pure, without an exception."""
    path = SHARED.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    said = " ".join((ast.get_docstring(ast.parse(file.read_text())) or "").split())
    return any(said.find(mark) >= 0 for mark in ("Pure.", "Pure:", "Pure;"))


def way(module: str) -> str:
    """Return how a module comes to an edge."""
    for edge in sorted(EDGES & GRAPH.modules):
        chain = GRAPH.find_shortest_chain(importer=module, imported=edge)
        if chain is not None:
            return " -> ".join(chain)
    return module


class TestPure:
    def test_every_edge_is_looked_for(self) -> None:
        assert EDGES - GRAPH.modules <= {"fastapi", "mangum", "boto3"}

    def test_a_module_that_may_not_act_is_pure(self) -> None:
        found = [way(module) for module in sorted(acting()) if not may_act(module)]
        assert found == [], "move the effect to where effects are, or name its place in ACTING"

    def test_what_says_that_it_is_pure_is(self) -> None:
        assert [way(module) for module in sorted(acting()) if says_pure(module)] == []

    @pytest.mark.parametrize("pattern", ACTING)
    def test_every_place_is_one(self, pattern: str) -> None:
        assert any(fnmatchcase(module, pattern) for module in acting())
