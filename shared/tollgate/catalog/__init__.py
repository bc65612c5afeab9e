"""The catalog: which models there are, what each accepts, what it costs and who can run it.

kinds.py          what one value may be (text, URL, choice, number…)
rules.py          what must hold between fields
profiles/         one pydantic model per profile of the contract
restrictions.py   how a model narrows or widens its profile, as data
checking.py       a customer's input against a profile: normalised values, or every problem at once
models.py         a model as data: texts, prices, routes
pricing.py        what one request costs
params.py         the published input schema
views.py          the bodies of the catalog and cost routes
loader.py         data/*.yaml, one file per model
lint.py           what the data must keep to: a price for every input, never below cost
"""
