"""The catalog: which models there are, what each accepts, what it costs and who can run it.

kinds.py          what one value may be (text, URL, choice, number…)
rules.py          what must hold between fields
media.py          what must hold for the files behind URLs
profiles/         one pydantic model per profile of the contract
restrictions.py   how a model narrows or widens its profile, as data
checking.py       a customer's input against a profile: normalised values, or every problem at once
models.py         a model as data: texts, prices, routes
live.py           a model with its live routes only, and of its input what they take
pricing.py        what one request costs
params.py         the published input: descriptors and JSON Schema
views.py          a model as it is published
listing.py        the catalog and cost routes: filters and ETags
loader.py         data/*.yaml, one media model per file; data/text/*.yaml, one family per file
lint.py           what the data must keep to: a price for every input, never below cost
"""
