"""Workflows: steps that use the results of earlier steps, with one price, one hold and one webhook.

In: a list of steps, each a generation or a chat. Out: the tasks and text requests of the steps, one after the
other, paid from one hold (docs/decisions/0103-workflows.md). A workflow's row is among the tasks, so it has
their stream and their timer.

references.py  references to results inside an input
models.py      a workflow and its steps as values; `rows.py`: as a row; `views.py`: the responses
request.py     the body; `query.py`: the query of a list
pricing.py     the price of each step, before there are results
rules.py       the next move of a workflow: pure
repository.py  the rows of workflows
service.py     customers' requests: estimate, create, cancel; `reader.py`: show, list
worker.py      moves a workflow; `media_steps.py` starts a generation, `chat_steps.py` answers chats
errors.py      the error of a workflow that does not exist
events.py      the webhook event, and the progress as server-sent events
"""
