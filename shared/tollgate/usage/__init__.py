"""Statistics: what an account used and spent, by day and by model, kept from the ledger's stream.

In: batches of the ledger's stream. Out: a row for each account and day, and `GET /stats`
(docs/statistics.md).

counts.py       what is counted: pure arithmetic
recorder.py     from a batch to the roll-up
repository.py   the rows, and a mark for each entry that is in them
period.py       the days that are asked for
service.py      totals by day and by model
months.py       statements by month, read; `statement.py`: one of them
"""
