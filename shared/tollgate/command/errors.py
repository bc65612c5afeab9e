"""What stops a command, in one line for who typed it."""


class CommandError(Exception):
    """The command cannot do what it was asked; the message says why and what would help."""
