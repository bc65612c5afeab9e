"""Projects: list, create, rename and delete them. Keys name their project."""

from fastapi import APIRouter, Response

from api.http import AccountKey, Body, KeyOfNow, Services, envelope

router = APIRouter(prefix="/api/v1/projects")


@router.get("")
def list_projects(api: Services, key: AccountKey) -> Response:
    """Return the account's projects."""
    return envelope({"projects": api.projects.all(key.account_id)})


@router.post("")
def create_project(api: Services, key: KeyOfNow, body: Body) -> Response:
    """Create a project."""
    return envelope(api.projects.create(key.account_id, body, key))


@router.get("/{project_id}")
def get_project(api: Services, key: AccountKey, project_id: str) -> Response:
    """Return one project."""
    return envelope(api.projects.one(key.account_id, project_id))


@router.patch("/{project_id}")
def update_project(api: Services, key: KeyOfNow, project_id: str, body: Body) -> Response:
    """Rename a project."""
    return envelope(api.projects.update(key.account_id, project_id, body, key))


@router.delete("/{project_id}")
def delete_project(api: Services, key: KeyOfNow, project_id: str) -> Response:
    """Delete a project without keys."""
    return envelope(api.projects.delete(key.account_id, project_id, key))
