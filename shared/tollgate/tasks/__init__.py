"""The task: its life cycle (pure), its rows, the step that moves it, and customers' requests about it.

In: the body of a create; later messages `{task_id, seq}` from the queue. Out: transactions that charge,
move and end the task, and the rows that customers see. The order of one request: docs/request-path.md.

request.py       the body of create and estimate, checked as a whole
combinations.py  values that no single provider takes together
media_kinds.py   uploaded files in a field for another kind of media
routing.py       the providers that may run a generation, by its wishes
charges.py       the charge of a create, in a row with money, within budgets
priced.py        a checked request with its price, which becomes a task
service.py       customers' requests: estimate, create, cancel
openai_images.py creates in OpenAI's format; `openai_videos.py`; `openai_media.py`: their common part
image_creates.py has `api` create the task of an image that is waited for; `results.py`: its files
deletion.py      the deletion of a task's files
sharing.py       public pages of results; `examples.py`: those on the pages of models
idempotency.py   the same key returns the same task
followups.py     inputs that name earlier tasks
errors.py        the errors of tasks
models.py        task and attempt as values; `rows.py` as rows
lifecycle.py     the next state of a task: pure, every path is a value
sources.py       keeps the files that decided a price, for the provider
step.py          one step: read, decide, ask the provider, write
events.py        the webhook event of an ended task
progress_webhooks.py webhook events about the progress of a task
finalizer.py     the end, in one transaction
dispatch.py      from a change of a row to the next message
callbacks.py     a provider's callback that a job moved: poll it sooner
sweep.py         the one timer
repository.py    writes, each guarded by `seq`
reader.py        customers' reads; `query.py` reads the question; `waiting.py`: when to ask again
progress_events.py a task as server-sent events
reports.py       log lines and metrics of a step
audit.py         proves the count of waiting tasks; `watch.py`: models that no provider can serve now;
                 `availability.py`: its rules
"""
