"""The catalog: which models there are, what each accepts, what it costs and who can run it.

    data/*.yaml ─ loader ─► Catalog ─ served ─► Model ─ check ─► CheckedInput ─ pricing ─► Quote
    the bucket's document ─ refresh ─┘       └─ params, views, listing ─► what is published

What enters is data (files, or the one document of the bucket) and a customer's `input`; what leaves is a
checked input with its price and routes, or every problem at once. Only the loader does I/O, for its files.
Pydantic checks what enters. The build checks what ships, so who only runs tasks or chats starts without it.

A model's input, from the smallest part up:
kinds.py          what one value may be (text, URL, choice, number…): checks it, shows itself as JSON Schema
rules.py          what must hold between fields
media.py          what must hold for the files behind URLs
profiles/         one pydantic model per profile of the contract: its fields, each of a kind, and its rules
restrictions.py   how a model narrows or widens its profile, as data; derived.py: the profile so changed
checking.py       a customer's input against a profile: normalised values, or every problem at once
nearest.py        what was probably meant
params.py         the published input, from the class that checks it: descriptors and JSON Schema

A model and its price:
models.py         a model as data: texts, prices, routes; fields.py: what its fields may be
names.py          the names by which a model may be asked for
pricing.py        what one request costs
lint.py           what the data must keep to: a price for every input, never below cost

The catalog as a whole:
loader.py         reads the data: data/*.yaml, one media model per file; data/text/*.yaml, one family per file
parsing.py        data as models, checked
served.py         a model as it is served now: its routes that are on; narrowed.py: and what these take
refresh.py        follows the bucket's document, which takes the place of the shipped data while it is good
reading.py        says what is wrong with a document
views.py          a model as it is published
listing.py        the catalog and cost routes: filters and ETags
errors.py         faults of the data itself; no customer causes one
"""
