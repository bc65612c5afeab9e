"""The errors of workflows."""

from tollgate.kit.errors import TollgateError


class WorkflowNotFoundError(TollgateError, status=404, code="workflow_not_found"):
    """The workflow does not exist or belongs to another account."""

    default_message = "Workflow not found."
