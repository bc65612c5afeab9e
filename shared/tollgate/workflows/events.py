"""The webhook event of a workflow. Pure."""

from tollgate.webhooks.models import Delivery, delivery_id_of
from tollgate.webhooks.payload import Event
from tollgate.webhooks.schedule import due_now
from tollgate.workflows.models import Workflow
from tollgate.workflows.views import WorkflowView


def event_of(workflow: Workflow, view: WorkflowView) -> Event:
    """Return the webhook event of an ended workflow: the body of its status (site/workflows.md)."""
    at_ms = workflow.finished_at_ms or workflow.created_at_ms
    return Event(_type_of(workflow), at_ms, view)


def pending_delivery(workflow: Workflow, url: str, now_ms: int) -> Delivery:
    """Return the delivery of an ended workflow's event, due now."""
    delivery = Delivery(
        delivery_id_of(workflow.workflow_id),
        workflow.account_id,
        url,
        _type_of(workflow),
        now_ms,
        task_id=workflow.workflow_id,
        correlation_id=workflow.correlation_id,
    )
    return due_now(delivery)


def _type_of(workflow: Workflow) -> str:
    return f"workflow.{workflow.status}"
