"""The status page: the state of the parts, models and providers, 90 days of it, and incidents in words.

In: the health of providers, the measures of text routes, late webhooks, and visits. Out: `/status`.

history.py     days of checks, and the state of a day: pure arithmetic
checks.py      the state of everything at one moment: pure
incidents.py   incidents and their updates: pure
repository.py  the rows of days and of incidents
service.py     takes a check every five minutes; reads the content of the page
"""
