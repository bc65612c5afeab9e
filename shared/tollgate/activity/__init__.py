"""Activity: every generation and text request of an account in one list, with its cost and duration.

In: the ledger by time, which has an entry for each, and the tasks that its charges are of. Out: rows for
people and for spreadsheets. It stores nothing of its own.

query.py     which rows are asked for
row.py       one row, from an entry and its task
service.py   page by page, or as one table
"""
