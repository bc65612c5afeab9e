"""Reconciliation: our costs by day, beside the costs that the providers report.

    ledger of a day ─► booked: usage × the catalog's cost ─────────┐
    tasks of a day ──► booked: priced quantity × the route's cost ─┼─► drift, margin ─► alarm, page, command
    a provider's cost report ─► reported ──────────────────────────┘

A provider is compared if the operator has stored an admin key for it. Nothing here moves money or changes a
price. Reasons: docs/decisions/0070-costs-are-compared.md.

books.py       the costs of text that our ledger and catalog imply. Pure
task_books.py  the costs of generations that our ledger, tasks and catalog imply. Pure
reports.py     the providers' cost reports: their requests and responses. Pure
comparison.py  both side by side, as rows. Pure
client.py      reads a report over HTTP, with limits
repository.py  the progress and the result of a day
service.py     one day, step by step
"""
