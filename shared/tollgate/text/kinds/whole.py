"""Responses that are paid for only if they are whole: a part of them is of no use. Pure."""

from tollgate.text.usage import Usage
from tollgate.text.wire.stream import Meter


class WholeMeter(Meter):
    """The usage of a response that costs nothing until it is whole.

    `known_usage` is its usage if that is known before its end.
    """

    def __init__(self, meter: Meter, known_usage: Usage | None) -> None:
        super().__init__(meter.input_estimate, meter.output_limit, cost_of=meter.cost_of, asked=meter.asked)
        self.is_whole = False
        self.known_usage = known_usage

    def known(self) -> Usage | None:
        """Return the usage of the whole response if it is known before its end."""
        return self.known_usage

    def usage(self) -> Usage:
        """Return the usage to bill."""
        if not self.is_whole:
            return Usage(0, 0)
        return super().usage() if self.known_usage is None else self.known_usage
