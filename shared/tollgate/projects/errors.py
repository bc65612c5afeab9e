"""The errors of projects."""

from tollgate.kit.errors import TollgateError


class ProjectNotFoundError(TollgateError, status=404, code="project_not_found"):
    """The project does not exist or belongs to another account."""

    default_message = "Project not found."


class ProjectLimitReachedError(TollgateError, status=409, code="project_limit_reached"):
    """The account has the maximum number of projects."""

    next_step = "Delete a project first."


class ProjectInUseError(TollgateError, status=409, code="project_in_use"):
    """The project still has API keys, so it cannot be deleted."""

    default_message = "This project has API keys."
    next_step = "Revoke them, or move them to another project."
