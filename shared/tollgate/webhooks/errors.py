"""The errors of webhook deliveries."""

from tollgate.kit.errors import TollgateError


class DeliveryNotFoundError(TollgateError, status=404, code="delivery_not_found"):
    """The webhook delivery does not exist or belongs to another account."""

    default_message = "Webhook delivery not found."


class RedeliveryLimitError(TollgateError, status=409, code="redelivery_limit_reached"):
    """The delivery was sent again the maximum number of times."""

    next_step = "Request the task's status instead."

    def __init__(self, most: int) -> None:
        super().__init__(f"This delivery was redelivered {most} times, which is the limit.")
