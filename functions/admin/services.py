"""The services that the operators' pages call, and their responses to actions."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from dashboard.languages import worded
from dashboard.render import moved_saying, page, toast
from dashboard.security import Visitor
from tollgate.composition import command as operator_parts
from tollgate.composition.command import Operator
from tollgate.kit.observability import logger
from tollgate.kit.words import Words
from tollgate.operator.errors import OperatorError

PATH = "/admin"
REFUSED = 400


async def services() -> Operator:
    """Return the services.

    It is `async` because it never blocks; FastAPI runs other functions in a thread.
    """
    return operator_parts.operator()


Services = Annotated[Operator, Depends(services)]


def console(request: Request) -> str:
    """Return the path of the operators' pages in the browser, with the gateway's stage."""
    return request.base_url.path.rstrip("/") + PATH


def operator_page(request: Request, template: str, **context: Any) -> Response:
    """Return an operators' page."""
    return page(request, template, console=console(request), **context)


def done(
    request: Request, operator: Visitor, carry_out: Callable[[], str | Words], to: str, **about: Any
) -> Response:
    """Carry out an operator's action, log it with the operator's name, and redirect to the page `to`.

    `carry_out` returns a sentence about the result, which that page shows. An `OperatorError` is shown as a
    message with status 400.
    """
    try:
        said = carry_out()
    except OperatorError as exc:
        return refused(request, exc)
    logger.info("admin.done", operator=operator.name, **about)
    return moved_saying(request, f"{console(request)}{to}", worded(said) if isinstance(said, Words) else said)


def refused(request: Request, error: OperatorError) -> Response:
    """Return the message of an operator's error, in the language of the page."""
    return toast(request, worded(error.words), status=REFUSED, bad=True)
