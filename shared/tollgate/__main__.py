"""`python -m tollgate`: the operator's command."""

from tollgate.command.app import cli

if __name__ == "__main__":
    cli(prog_name="tollgate")
