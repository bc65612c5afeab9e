"""The task: its life cycle (pure), its rows, the step that moves it, and what customers ask of it.

In: the body of a create; later messages `{task_id, seq}` from the queue. Out: transactions that charge,
move and end the task, and the rows that customers see. The order of one request: docs/request-path.md.

request.py       the body of create and estimate, checked as a whole
service.py       what customers do: estimate, create, cancel
openai_images.py creates in OpenAI's words; `openai_videos.py`; `openai_media.py`: what both have
image_creates.py has `api` create the task of an image that is waited for; `results.py`: its files
deletion.py      the end of a task's files
idempotency.py   the same key makes the same task
followups.py     inputs that name earlier tasks
models.py        task and attempt as values; `rows.py` as rows
lifecycle.py     what happens next: pure, every path is a value
step.py          one step: read, decide, ask the provider, write
events.py        what a webhook says of an ended task
finalizer.py     the end, in one transaction
dispatch.py      from a change of a row to the next message
callbacks.py     a provider says that a job moved: ask it sooner
sweep.py         the one timer
repository.py    writes, each guarded by `seq`
reader.py        what customers ask; `query.py` reads the question; `waiting.py`: when to ask again
reports.py       log lines and metrics of a step
audit.py         the count of waiting tasks, proven; `watch.py`: models that nobody can make now
"""
