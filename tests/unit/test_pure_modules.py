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
ACTING = [
    f"tollgate.{place}"
    for places in (
        "__main__",
        # Whole rooms: they join the parts, or are programs of their own.
        "composition.* command.* mcp.* operator.*",
        # What every feature has: its table, and what is done with it.
        "*.repository batches.attempts batches.calls batches.collecting batches.finding batches.finishing "
        "batches.reader batches.parcel_money batches.parcel_steps batches.parcel_worker "
        "batches.vendor_calls batches.worker "
        "budgets.monitor ledger.budget_mover ledger.budget_repository ledger.family_repository "
        "ledger.wallet_repository tasks.charges tasks.priced text.money.budgets text.money.drawing "
        "text.money.wallets text.responses.stopped text.routes.calls subaccounts.closing "
        "subaccounts.suspending *.service *_service *.client visits.visitor workflows.chat_steps "
        "workflows.media_steps workflows.pricing workflows.reader workflows.worker",
        # AWS, the network and the log.
        "kit.aws.async_invoke kit.aws.async_queue kit.aws.batches kit.aws.json_protocol "
        "kit.aws.role_bucket kit.aws.s3_* kit.aws.sdk kit.dynamodb.*database kit.dynamodb.changes "
        "kit.dynamodb.core kit.dynamodb.due_index kit.http.outbound kit.observability kit.retry "
        "mail.sender",
        # Keys are looked up, files moved, sessions kept.
        "accounts.*auth audit.refusals artifacts.files artifacts.inputs artifacts.prompt_files "
        "artifacts.store tasks.deletion tasks.examples tasks.sharing thumbnails.generator "
        "connectors.documents web.chat_keys web.cognito web.second_factor web.other_services "
        "web.development web.sessions web.sign_ins members.identities members.recipients members.service",
        # What reads the ledger and the counts page by page.
        "ledger.checkpoints ledger.reader ledger.statement exports.bucket exports.focus_file "
        "exports.offers exports.sender exports.service low_balance.refill",
        # The end of an account, step by step.
        "account_closure.erasure account_closure.service account_closure.user_pool account_closure.worker "
        "low_balance.service low_balance.monitor notices.reminders accounts.cap_monitor "
        "webhooks.failing_endpoints seals.sealer usage.monthly_statements usage.openrouter usage.recorder "
        "usage.route_repository",
        # Asking providers, and remembering how they did.
        "providers.media.*.media providers.runtime.adapter providers.runtime.http "
        "providers.runtime.health_store probing.recordings probing.remote",
        # A process of its own opens the file; the log says what became of it.
        "probing.documents probing.reader ledger.expiry probing.tracks",
        # What moves a task; its rules are in `lifecycle.py`.
        "tasks.audit tasks.callbacks tasks.dispatch tasks.finalizer tasks.reader tasks.reports "
        "tasks.sources tasks.step tasks.sweep tasks.watch",
        # A text request under way.
        "text.money.billing text.money.endings text.money.placing text.money.renewals "
        "text.money.request_counter text.routes.attempt text.routes.measures text.routes.reports "
        "text.routes.response text.routes.switches text.serving.answer_cache text.serving.event_stream "
        "text.serving.middleware text.responses.background text.responses.conversations "
        "text.responses.follow text.responses.keeping text.responses.parts text.responses.rendering "
        "text.responses.storage webhooks.sender",
    )
    for place in places.split()
]
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
