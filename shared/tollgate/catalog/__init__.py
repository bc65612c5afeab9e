"""The catalog: the models, with the input, prices and routes of each.

    data/*.yaml ─ loader ─► Catalog ─ live_routes ─► Model ─ check ─► CheckedInput ─ pricing ─► Quote
    the bucket's document ─ refresh ─┘       └─ params, views, listing ─► the published catalog

It takes data (files, or the one document of the bucket) and a customer's `input`. It returns a checked input
with its price and routes, or every problem at once. Only the loader does I/O, for its files. Pydantic checks
data from outside. The build checks the shipped data, so functions that only run tasks or chats start without
it.

A model's input, from the smallest part up:
kinds.py          the kinds of values (text, URL, choice, number…): each checks it, and has its JSON Schema
rules.py          rules between fields
media.py          rules for the files behind URLs
profiles/         one pydantic model per profile of the contract: its fields, each of a kind, and its rules
restrictions.py   how a model narrows or widens its profile, as data; input_classes.py: applies it
checking.py       a customer's input against a profile: normalised values, or every problem at once
image_alias.py    `imageUrls`, a second name for a model's only field with images
nearest.py        suggestions for misspelt values
params.py         the published input, from the class that checks it: descriptors and JSON Schema

A model and its price:
dated.py          the data of one day: prices and costs with days, routes and models that end
models.py         a media model as data: texts, prices, routes; text_models.py: a text model;
                  fields.py: the types of their fields
names.py          the names of a model in requests
pricing.py        the cost of one request; unknown_files.py: its most, if some files do not exist yet
sources.py        public lists of prices and limits; drift.py: differences from the catalog
yaml_edits.py     changes of single values in the YAML files
due.py            what the data's days ask of an operator
lint.py           rules for the data: a price for every input, never below cost

The catalog as a whole:
loader.py         reads the data: data/*.yaml, one media model per file; data/text/*.yaml, one family per file
parsing.py        data as models, checked
live_routes.py    a model with only its live routes; route_limits.py: with only the input that these accept
refresh.py        follows the bucket's document, which replaces the shipped data while it is valid
validation.py     finds the faults of a document
views.py          the published form of a model
listing.py        the catalog and cost routes: filters and ETags
errors.py         faults of the data itself; no customer causes one
"""
