"""Trigger: every 15 minutes.

Brings each account that its owner wants closed one look further: ends what a crash left open, waits until
nothing runs and no money is left, then erases its data. Never touches the ledger but by the entry that says
what an owner gave up, and never an account that was kept after all.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.kit.observability import logger


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - Lambda's signature
    """Look at each account that is due; what fails is told once all were looked at."""
    found = close_accounts_parts.closure_worker().run()
    logger.info("close_accounts.done", accounts={str(outcome): count for outcome, count in found.items()})
