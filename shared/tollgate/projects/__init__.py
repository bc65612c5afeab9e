"""Projects: groups of API keys, with budgets and statistics together.

A key names its project. The project is a label of the key's requests (`ledger/attribution.py`), so budgets
and statistics need only its id.

service.py     list, create, rename, delete
views.py       projects as stored and as shown
errors.py      the errors of projects
repository.py  the row with an account's projects
"""
