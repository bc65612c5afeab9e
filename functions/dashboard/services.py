"""What the pages call, as FastAPI hands it to them."""

from typing import Annotated

from fastapi import Depends

from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition.dashboard import Dashboard


async def services() -> Dashboard:
    """Return what the pages call. Not in a thread, as a plain function would be: it waits for nothing."""
    return dashboard_parts.dashboard()


Services = Annotated[Dashboard, Depends(services)]
