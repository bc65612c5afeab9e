"""The text wire: OpenAI's and Anthropic's chat protocols, relayed or translated, and metered.

models.py         what is known of a text model: prices, limits, routes; `views.py`: as it is published
request.py        a client's body, read once and edited without touching what is not ours
unpriced.py       what a body may ask for that has no price here
foreign.py        what a body may not name: files and caches in our accounts with providers
embeddings.py     vectors of texts: what a request is, and how an answer is read
admission.py      whether a request is taken: its model, and how much it can use
tokens.py         how many input tokens a request can be at most, and is about
metering.py       what a usage costs, and how much to hold for a request
refusal.py        what a hold that was refused means to who asked
usage.py          token counts as each protocol and vendor reports them
sse.py            a byte stream as server-sent events
dialect.py        how an OpenAI-compatible upstream deviates
capabilities.py   what a model or a route refuses, and what then is left out; `schemas.py`: of JSON schemas
faults.py         what went wrong upstream, and what follows from it
errors.py         error bodies that both protocols' clients read
stream.py         what every streamed answer has in common
shown.py          what customers see of a provider's answer
relay.py          answers in the client's own protocol
translate_*.py    requests and answers in the other one
upstream.py       one request to one route: what to send, how to read the answer
request_counter.py  every request, those that take no money too
counting.py       whether a stream can be ended early, and billed by what it has shown
placed.py         what is known of a request's hold, and of its bill
billing.py        hold, record, settle; `renewals.py`: extend the hold while the request runs
wallets.py        moves the money of an account that has several rows
finishing.py      writes that are not cut short
breaker.py        which providers are left alone
race.py           the routes of one request, of which the first that answers counts
response.py       what came of a request; a stream relays itself; `rendering.py`: how a client reads it
service.py        one request from body to bill
asgi.py           as much of a web framework as the routes need
event_stream.py   a response on its way to the client: kept alive, and never waited for without end
responses/        OpenAI's Responses API over chat
middleware.py     what all routes share: request ids, rate headers, errors in our shape

Those from `billing.py` on wait for others; nothing above them does I/O. `sse.py`, `stream.py` and `relay.py`
are the measured hot path (docs/architecture.md#measures).
"""
