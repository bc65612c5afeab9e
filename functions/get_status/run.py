"""The buffered counterpart of `run.sh`.

An emulator that runs only Python reads that name as `sh` in this module.
"""

from get_status.app import handler as sh

__all__ = ["sh"]
