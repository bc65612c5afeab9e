"""Creates the parts of `functions/get_status`."""

from dataclasses import dataclass

from tollgate.accounts.auth import Authenticator
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.artifacts.results import Results
from tollgate.catalog.refresh import CurrentCatalog
from tollgate.composition.database import database
from tollgate.composition.media_catalog import running_catalog
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.clock import Clock
from tollgate.kit.settings import RatedSettings
from tollgate.ledger.callers import Caller
from tollgate.ledger.rate import RateMeter, with_lower_remaining
from tollgate.ledger.request_counts import RequestMeter
from tollgate.tasks.image_creates import ImageCreates
from tollgate.tasks.models import TaskView
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.waiting import poll_after_s
from tollgate.workflows.reader import WorkflowReader
from tollgate.workflows.repository import WorkflowRepository


@dataclass(frozen=True, kw_only=True)
class GetStatusSettings(RatedSettings):
    """Settings of `functions/get_status`. `aws_lambda_exec_wrapper` starts the web adapter."""

    api_keys_table: str
    tasks_table: str
    api_function: str
    media_bucket: str
    storage_url: str
    live_providers: str
    config_bucket: str
    aws_lambda_exec_wrapper: str | None = None


@dataclass(frozen=True, slots=True)
class GetStatus:
    """The services that the routes of `functions/get_status` call."""

    authenticator: Authenticator
    reader: TaskReader
    workflows: WorkflowReader
    images: ImageCreates
    results: Results
    meter: RateMeter
    requests: RequestMeter
    clock: Clock
    is_adapted: bool
    """Whether the web adapter forwards the requests."""

    def rate_headers(self, account_id: str) -> dict[str, str]:
        """Return the `x-ratelimit-*` headers of an account, from the counts of this process."""
        headers = self.meter.headers(account_id, self.clock.now_ms())
        return with_lower_remaining(headers, self.requests.left(account_id, self.clock.now_ms()))

    def count(self, account_id: str) -> None:
        """Count a request in this process. Raises `RateLimitedError`.

        The count is not shared with other processes. This function may not write accounts, and a status costs
        one read.
        """
        self.requests.count(account_id, self.clock.now_ms())

    def status(self, caller: Caller, task_id: str) -> TaskView:
        """Return a task as its status shows it, with the pause before the next poll if it has not ended.

        Raises `TaskNotFoundError`.
        """
        task = self.reader.find(caller, task_id)
        after_s = poll_after_s(task, self.clock.now_ms())
        shown = self.reader.view(task)
        if after_s is not None:
            shown["pollAfterS"] = after_s
        return shown


@part
def get_status() -> GetStatus:
    """Create the parts of `functions/get_status`."""
    settings = GetStatusSettings.from_env()
    db = database()
    # Used only for a task in the queue, to estimate how long the tasks before it take.
    catalog = running_catalog(settings.live_providers, settings.config_bucket)
    results = Results(sdk.s3(), settings.media_bucket, settings.storage_url)
    tasks = TaskRepository(db, settings.tasks_table)
    return GetStatus(
        authenticator=Authenticator(ApiKeyRepository(db, settings.api_keys_table), clock()),
        reader=TaskReader(tasks, CurrentCatalog(catalog.catalog), results.address),
        workflows=WorkflowReader(
            WorkflowRepository(db, settings.tasks_table), tasks.get_all, results.address
        ),
        images=ImageCreates(sdk.lambda_for_creates, settings.api_function),
        results=results,
        # A status takes no money, so this process knows only the limit of that window.
        meter=RateMeter(settings.requests_per_minute),
        requests=RequestMeter(settings.requests_per_minute),
        clock=clock(),
        is_adapted=settings.aws_lambda_exec_wrapper is not None,
    )
