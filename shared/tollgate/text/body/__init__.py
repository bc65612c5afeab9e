"""A request's body: read once, checked, and bounded. No module here does I/O.

json_body.py      a client's body, read once and edited without changing the client's own fields
request.py        the checked request of a body
fields.py         each field of the protocols: sent, left out and named, or refused
inner_fields.py   hints inside messages and tools
body_shapes.py    the types of the fields of the protocols; `shapes.py`: how they are checked
unpriced.py       refuses options without a price
prompt_files.py   replaces the ids of customers' own files with their bytes
file_parts.py     refuses files that no provider could read
foreign.py        refuses names of files and caches in our accounts with providers
web_search.py     a search of the web by the provider: its request, its bound, its form in each protocol
tokens.py         an upper bound and an estimate of a request's input tokens
images.py         images in responses: the fields that ask for them, and their size
"""
