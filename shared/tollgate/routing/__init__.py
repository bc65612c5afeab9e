"""Routing wishes: which providers may get a request, and in which order. Pure.

In: the wishes of a request, of its key and of its account. Out: the routes to call, best first.

facts.py      the known facts about a provider: its names, its region, its handling of data
wishes.py     wishes as values, how they combine, and their rows
reading.py    the fields of a body: `provider`, `models`, `route`
selection.py  the routes that the wishes permit, or the refusal
speeds.py     latency and throughput that a process measured
measures.py   uptime, latency and throughput of all requests, as counts that can be added
views.py      the handling of data in responses
"""
