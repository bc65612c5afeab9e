"""The services that the pages call, as a FastAPI dependency."""

from typing import Annotated

from fastapi import Depends

from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition.dashboard import Dashboard


async def services() -> Dashboard:
    """Return the services. It never blocks, so it needs no thread, unlike a plain function."""
    return dashboard_parts.dashboard()


Services = Annotated[Dashboard, Depends(services)]
