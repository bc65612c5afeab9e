"""What the desk's pages call, who may, and what becomes of what cannot be done."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from dashboard.render import moved_saying, page, toast
from dashboard.security import Visitor
from tollgate.composition import command as operator_parts
from tollgate.composition.command import Operator
from tollgate.kit.observability import logger
from tollgate.operating.errors import OperatorError

PATH = "/admin"
REFUSED = 400


async def services() -> Operator:
    """Return what the pages call. Not in a thread, as a plain function would be: it waits for nothing."""
    return operator_parts.operator()


Services = Annotated[Operator, Depends(services)]


def desk(request: Request) -> str:
    """Return the path of the desk as a browser sees it, with the gateway's stage."""
    return request.base_url.path.rstrip("/") + PATH


def desk_page(request: Request, template: str, **context: Any) -> Response:
    """Return a page of the desk."""
    return page(request, template, desk=desk(request), **context)


def done(
    request: Request, operator: Visitor, carry_out: Callable[[], str], to: str, **about: Any
) -> Response:
    """Carry out what an operator asked for, log who did it, and show the page `to` as it is then.

    `carry_out` returns a sentence of what was done, which that page says.
    """
    try:
        said = carry_out()
    except OperatorError as exc:
        return toast(request, str(exc), status=REFUSED, bad=True)
    logger.info("admin.done", operator=operator.name, **about)
    return moved_saying(request, f"{desk(request)}{to}", said)
