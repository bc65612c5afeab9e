"""The status page: which models can be made now, by the same health that routes go by. For everybody."""

from fastapi import APIRouter, Request, Response

from dashboard.render import public_page
from dashboard.services import Services
from tollgate.kit.clock import iso

KINDS = {"IMAGE": "Images", "VIDEO": "Videos", "MUSIC": "Music"}

router = APIRouter()


@router.get("/status")
def show(services: Services, request: Request) -> Response:
    """Show how each model is. Text has no line of its own: each request tries the routes that there are."""
    found = [each for each in services.route_watch.statuses() if "test" not in each.model.tags]
    by_kind = {
        name: [each for each in found if each.model.media_type == kind] for kind, name in KINDS.items()
    }
    down = sum(each.word == "down" for each in found)
    return public_page(
        request, "status.html", kinds=by_kind, down=down, at=iso(services.clock.now_ms() // 60_000 * 60_000)
    )
