"""The routes of a request: which are accepted, called and left out, until one answers.

admission.py      whether a request is accepted: its model, and how much it can use
exchanges.py      the routes that can carry a request, also before its money is reserved
calls.py          the calls of a request's routes, until one answers
attempt.py        one call of one route
race.py           the routes of one request, of which the first response wins
response.py       the outcome of a request; a stream relays itself
finishing.py      writes that are never cut short
measures.py       the measures of routes that this process has read
breaker.py        which providers to skip; `reports.py`: log lines for the catalog's operator
switches.py       which providers an operator switched off, from a read in the background
"""
