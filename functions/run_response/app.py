"""Trigger: the text function, which invokes it as an event `{account_id, response_id}`.

Answers the background request that waits in the response's row, and stores its end. It takes over the hold
that the text function placed, and settles it. Never calls a provider for a response that another process has
taken, and never trusts an event: the request and its hold are in the row.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import run_response as run_response_parts
from tollgate.kit.observability import begin_log
from tollgate.text.responses.timers import request_id_of


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - Lambda's shape
    """Run one response to its end. After an exception Lambda sends the event again, which does nothing."""
    # The request's id is in the lines of both functions.
    begin_log(correlation_id=request_id_of(event["response_id"]), **event)
    run_response_parts.run(event["account_id"], event["response_id"])
