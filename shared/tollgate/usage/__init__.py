"""Statistics: the usage and cost of an account by day and by model, from the ledger's stream.

In: batches of the ledger's stream. Out: a row for each account and day, and `GET /stats`
(site/statistics.md).

counts.py             the counts: pure arithmetic
recorder.py           adds a batch of the stream to the roll-up
repository.py         the rows, and a mark for each counted entry
route_repository.py   the measures of routes; `route_calls.py`: the calls of a request
period.py             the days of a request
service.py            totals by day and by model
openrouter.py         an account in OpenRouter's shapes; `openrouter_views.py`: the shapes
monthly_statements.py reads monthly statements; `statement.py`: one statement
"""
