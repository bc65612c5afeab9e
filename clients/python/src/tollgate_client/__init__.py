"""Images, videos, music and text from one API.

    import tollgate_client

    task = tollgate_client.run("z-image", {"prompt": "a lighthouse at dusk", "size": "16:9"})
    task.save("images")

`run`, `submit`, `estimate`, `task`, `models`, `chat`, `stream_chat` and `upload` use one shared `Client`,
created on first use from `TOLLGATE_API_KEY` and `TOLLGATE_URL`.

errors.py     the tree of error classes
models.py     the data in responses
inputs.py     the typed input of each model, generated from the catalog
wire.py       one request: its construction and its retries
media.py      local files inside an input
steps.py      the steps of each operation, without I/O; `many.py`: of workflows and batches
calls.py      the parts of a call that are equal with and without asyncio
aio.py        the client for asyncio
client.py     the client for threads, generated from aio.py
progress.py   progress in a terminal
webhooks.py   verifies webhooks
verification.py  verifies statements and receipts, a copy of the service's own
command.py    the `tollgate` command
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tollgate_client.aio import AsyncClient
from tollgate_client.aio_handles import AsyncBatch, AsyncTask, AsyncWorkflow
from tollgate_client.calls import Messages
from tollgate_client.client import Client
from tollgate_client.errors import (
    APIError,
    AuthenticationError,
    BatchFailedError,
    BrokenStreamError,
    ConfigurationError,
    ConflictError,
    InsufficientBalanceError,
    InvalidInputError,
    NotFoundError,
    PayloadTooLargeError,
    PermissionDeniedError,
    PriceChangedError,
    RateLimitError,
    ServiceError,
    SignatureError,
    TaskExpiredError,
    TaskFailedError,
    TollgateError,
    UnreachableError,
    WaitTimeoutError,
    WorkflowFailedError,
)
from tollgate_client.handles import Batch, Task, Workflow
from tollgate_client.many import WorkflowStep
from tollgate_client.models import (
    BatchResult,
    BatchStatus,
    Chat,
    Estimate,
    Progress,
    RemoteFile,
    TaskStatus,
    Upload,
    WorkflowEstimate,
    WorkflowStatus,
    WorkflowStepStatus,
)
from tollgate_client.verification import (
    VerificationError,
    VerifiedReceipt,
    VerifiedStatement,
    verify,
    verify_receipt,
    verify_statement,
)
from tollgate_client.webhooks import Event, verify_webhook
from tollgate_client.wire import VERSION

__version__ = VERSION

__all__ = [
    "APIError",
    "AsyncBatch",
    "AsyncClient",
    "AsyncTask",
    "AsyncWorkflow",
    "AuthenticationError",
    "Batch",
    "BatchFailedError",
    "BatchResult",
    "BatchStatus",
    "BrokenStreamError",
    "Chat",
    "Client",
    "ConfigurationError",
    "ConflictError",
    "Estimate",
    "Event",
    "InsufficientBalanceError",
    "InvalidInputError",
    "NotFoundError",
    "PayloadTooLargeError",
    "PermissionDeniedError",
    "PriceChangedError",
    "Progress",
    "RateLimitError",
    "RemoteFile",
    "ServiceError",
    "SignatureError",
    "Task",
    "TaskExpiredError",
    "TaskFailedError",
    "TaskStatus",
    "TollgateError",
    "UnreachableError",
    "Upload",
    "VerificationError",
    "VerifiedReceipt",
    "VerifiedStatement",
    "WaitTimeoutError",
    "Workflow",
    "WorkflowEstimate",
    "WorkflowFailedError",
    "WorkflowStatus",
    "WorkflowStep",
    "WorkflowStepStatus",
    "__version__",
    "chat",
    "estimate",
    "models",
    "run",
    "stream_chat",
    "submit",
    "task",
    "upload",
    "verify",
    "verify_receipt",
    "verify_statement",
    "verify_webhook",
]


@cache
def _shared() -> Client:
    return Client()


def run(model: str, input: Mapping[str, Any] | None = None, **options: Any) -> Task:  # noqa: A002
    """Create one generation and wait for it. See `Client.run`."""
    return _shared().run(model, input, **options)


def submit(model: str, input: Mapping[str, Any] | None = None, **options: Any) -> Task:  # noqa: A002
    """Create a generation and return at once. See `Client.submit`."""
    return _shared().submit(model, input, **options)


def estimate(model: str, input: Mapping[str, Any] | None = None) -> Estimate:  # noqa: A002
    """Return the price of a generation. See `Client.estimate`."""
    return _shared().estimate(model, input)


def task(task_id: str) -> Task:
    """Return an existing task. See `Client.task`."""
    return _shared().task(task_id)


def models(**filters: Any) -> list[dict[str, Any]]:
    """Return the catalog. See `Client.models`."""
    return _shared().models(**filters)


def upload(file: Any) -> Upload:
    """Upload a file. See `Client.upload`."""
    return _shared().upload(file)


def chat(model: str, messages: Messages, **options: Any) -> Chat:
    """Return a text model's response. See `Client.chat`."""
    return _shared().chat(model, messages, **options)


def stream_chat(model: str, messages: Messages, **options: Any) -> Iterator[str]:
    """Yield a text model's response as it arrives. See `Client.stream_chat`."""
    return _shared().stream_chat(model, messages, **options)
