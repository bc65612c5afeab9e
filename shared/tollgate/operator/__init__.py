"""Operators' actions on a running service, for the `tollgate` command and for the console at `/admin`.

An action that is not possible raises `OperatorError` with the reason in one line.

console.py        the base of the consoles below: the operator and the audit log
overview.py       the first page of the console: today's numbers, and a search for anything
accounts.py       accounts: show, find by email, credit, debit, suspend
prices.py         prices of a model and costs of its routes; change a price
routes.py         the provider of an attempt that a ledger entry charged
tasks.py          tasks: show, cancel, refund
providers.py      the health of providers; switch one off or on; `provider_measures.py`: how they did
incidents.py      incidents on the status page
dead_letters.py   dead-lettered messages: count, send again; `changes.py`: those about batches of a stream
errors.py         the reason that an action is not possible
"""
