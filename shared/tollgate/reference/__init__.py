"""The reference: OpenAPI, the docs and a text for language models, all made of one document.

operations.yaml   every route, in a short notation
schemas.yaml      what customers send, and the answers in others' protocols
answers.py        our own answers, made of the code's types
document.py       OpenAPI 3.1 of these three, the error classes and the catalog
generations.py    the catalog's part of it: the create body of each model, with an example
site.py           the docs: Markdown of the templates in site/; markup.py makes HTML of it
examples.py       their programs; prices.py and calculator.py say what a model costs
pages.py          all of it, made once per catalog; views.py puts schemas in words
"""
