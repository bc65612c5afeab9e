"""Finds, calls and orders the providers.

base.py          the protocol: submit a job, poll it; `outcomes.py`: the results of both
declaration.py   a provider's declaration
registry.py      the media providers; `text_registry.py`: the text providers; `accounts.py`: both
credentials.py   the providers with a key; `secret.py`: the document with the keys
adapter.py       the base of adapters over HTTP; `http.py`: sends, `reply.py`: a response
answers.py       the meaning of statuses and codes
routing.py       the routes that support an input
health.py        the breaker; `health_store.py` shares it between workers
"""
