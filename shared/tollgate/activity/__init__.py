"""Activity: all generations and text requests of an account in one list, with their cost and duration.

In: the ledger in the order of time, which has an entry for each request, and the tasks of its charges. Out:
rows for people and for spreadsheets. This package stores nothing.

query.py     the filters of a request
row.py       one row, from an entry and its task
service.py   pages, or one table
"""
