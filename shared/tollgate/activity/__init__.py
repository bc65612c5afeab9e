"""Activity: all generations and text requests of an account in one list, with their cost and duration.

In: the ledger in the order of time, which has an entry for each request, and the tasks of its charges. Out:
rows for people and for spreadsheets, and a record of each request. This package stores nothing.

found.py            a request: its entry and its task, and how it ended
query.py            the filters of a request for a list
row.py              one row of the dashboard
service.py          pages, or one table; `samples.py`: requests for the usage chart
record.py           the record of a request; `timeline.py`: its steps; `views.py`: its shape for the API
generation.py       the record in OpenRouter's shape
records_service.py  one record by any of its ids, or pages
"""
