"""Trigger: every 15 minutes.

Processes each account that its owner has closed. It completes the steps that a crash interrupted, waits until
nothing runs and no money is left, and then erases the data. It changes the ledger only by the entry for the
money that the owner gave up. Never touches an account whose closing was cancelled.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.kit.observability import logger


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - Lambda's signature
    """Process each account that is due. Errors are raised after all accounts were processed."""
    found = close_accounts_parts.closure_worker().run()
    logger.info("close_accounts.done", accounts={str(outcome): count for outcome, count in found.items()})
