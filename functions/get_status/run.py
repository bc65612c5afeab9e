"""The buffered twin of `run.sh`: an emulator that runs Python only takes that for this module's `sh`."""

from get_status.app import handler as sh

__all__ = ["sh"]
