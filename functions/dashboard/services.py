"""What the pages call, as it is handed to them."""

from typing import Annotated

from starlette.requests import Request

from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition.dashboard import Dashboard
from tollgate.kit.router import FromRequest


async def services(_: Request) -> Dashboard:
    """Return what the pages call. Not in a thread, as a plain function would be: it waits for nothing."""
    return dashboard_parts.dashboard()


Services = Annotated[Dashboard, FromRequest(services)]
