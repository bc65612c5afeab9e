"""The text wire: OpenAI's and Anthropic's chat protocols, relayed or translated, and metered.

models.py         the properties of a text model: prices, limits, routes; `views.py`: its public form;
                  `listed.py`: its input, output and parameters
endpoints.py      the routes of a model in OpenRouter's form
json_body.py      a client's body, read once and edited without changing the client's own fields
request.py        the checked request of a body
fields.py         each field of the protocols: sent, left out and named, or refused
inner_fields.py   hints inside messages and tools
body_shapes.py    the types of the fields of the protocols; `shapes.py`: how they are checked
unpriced.py       refuses options without a price
prompt_files.py   replaces the ids of customers' own files with their bytes
file_parts.py     refuses files that no provider could read
foreign.py        refuses names of files and caches in our accounts with providers
completions.py    legacy completions over chat
embeddings.py     vectors of texts: the request, and the reader of its response; also `rerank.py` and
                  `moderations.py`; `plain.py`: their exchange; `kinds.py`: each kind that is no chat
speech.py         recordings of texts: the request, and the reader of its response
transcription.py  texts of recordings: the request, and the reader of its response
whole.py          the usage of a response that costs nothing until it is whole
admission.py      whether a request is accepted: its model, and how much it can use
web_search.py     a search of the web by the provider: who asks for it, its bound, its form at each protocol
tokens.py         an upper bound and an estimate of a request's input tokens
images.py         images in responses: the fields that ask for them, and their size
metering.py       the cost of a usage, and how much to hold for a request
route_plan.py     the routes that may answer a request, and the hold that covers each of them
cost.py           the cost of a response as its usage tells it
refusal.py        the error for a refused hold
usage.py          token counts as each protocol and vendor reports them
sse.py            a byte stream as server-sent events
dialect.py        how an OpenAI-compatible upstream deviates
capabilities.py   fields that a model or a route refuses, and their removal; `schemas.py`: of JSON schemas
faults.py         upstream failures, and their consequences
errors.py         error bodies that both protocols' clients read
stream.py         the parts that all streamed responses share
stated.py         the model and the charge that a response names
thinking.py       thinking that clients return unread; `call_state.py`, `message_state.py`: other state
tool_names.py     shorter names of tools, for providers with a lower limit than Anthropic
call_numbers.py   the index of each tool call in a stream
shown.py          the parts of a provider's response that customers see
relay.py          responses in the client's own protocol
translate_*.py    requests and responses in the other protocol
upstream.py       one request to one route: the call, and the reader of its response
exchanges.py      the routes that can carry a request, also before its money is reserved
vendor_batches.py  the batch API of a provider
request_counter.py  counts every request, including free requests
counting.py       whether a stream can be ended early, and billed by its visible output
placed.py         the state of a request's hold, and its bill; `handover.py`: for another process
budgets.py        the budgets that count a request, and their money between rows
placing.py        places the hold; `drawing.py`: takes it from a quote
renewals.py       extends the hold while the request runs
billing.py        record, settle; `endings.py`: ends a hold
wallets.py        moves the money of an account that has several rows
finishing.py      writes that are never cut short
route_measures.py  the measures of routes that this process has read
breaker.py        which providers to skip; `reports.py`: log lines for the catalog's operator
switches.py       which providers an operator switched off, from a read in the background
race.py           the routes of one request, of which the first response wins
response.py       the outcome of a request; a stream relays itself; `rendering.py`: its form for the client
answer_cache.py   answers to requests that an account sent before, without a provider
attempt.py        one call of one route
route_calls.py    the calls of a request's routes, until one answers
service.py        one request from body to bill
asgi.py           as much of a web framework as the routes need
event_stream.py   a response on its way to the client: kept alive, with a bound on every wait
responses/        OpenAI's Responses API, at providers that have it and over chat
middleware.py     the parts that all routes share: request ids, rate headers, errors in our shape

Modules from `budgets.py` on do I/O, and the modules above it do none. `sse.py`, `stream.py` and `relay.py`
are the measured hot path (docs/architecture.md#measures).
"""
