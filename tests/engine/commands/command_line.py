"""The command line in this process."""

from typer.testing import CliRunner

from engine.__main__ import app


def run(*words: str) -> str:
    """What a command says; the error where it ends with one."""
    result = CliRunner().invoke(app, list(words))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout
