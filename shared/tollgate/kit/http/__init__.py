"""HTTP: requests that arrive, and requests to others.

Nothing is imported here, because each cold start would pay for it.

client.py          the HTTP client for text; `response.py`: its responses; `decompression.py`: their encodings
happy_eyeballs.py  connects to the first address of a host that responds
outbound.py        the only client for customers' addresses; `addresses.py`: which of them it may call
request_body.py    the body of a request, read within a bound; `json_body.py`: a body as strict JSON
sent_text.py       marks before the text of a body, compression, and empty bodies
forms.py           a form with files
query.py           the query of a request
cached_body.py     a body that caches may keep, with its ETag; `cached_response.py`: the response with it
error_help.py      the link to the docs and the request id in the body of an error
cors.py            access for other origins; `base_url.py`: the address of a request; `head.py`: HEAD
"""
