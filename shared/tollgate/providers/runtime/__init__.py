"""How providers are found, asked and chosen.

base.py          the protocol: submit a job, poll it; `outcomes.py`: what can come of either
declaration.py   what a provider says about itself, once
registry.py      the media providers; `text_registry.py`: those of text; `accounts.py`: both
credentials.py   who has a key; `secret.py`: the document with the keys
adapter.py       what adapters over HTTP share; `http.py`: sent, `reply.py`: what came back
answers.py       what statuses and codes mean for us
routing.py       which routes can carry an input
health.py        the breaker; `health_store.py` shares it between workers
"""
