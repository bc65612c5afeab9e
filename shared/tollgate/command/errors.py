"""The errors of commands, printed in one line."""


class CommandError(Exception):
    """The command cannot be carried out. The message has the reason and a suggestion."""
