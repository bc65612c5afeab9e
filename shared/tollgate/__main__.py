"""`python -m tollgate`: the operator's command."""

import logging
import sys

from tollgate.command.app import cli
from tollgate.kit.observability import SERVICE

if __name__ == "__main__":
    # Functions log to standard output, but here that is only for the command's result.
    for handler in logging.getLogger(SERVICE).handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(sys.stderr)
    cli(prog_name="tollgate")
