"""Responses on the wire, in the client's own protocol. No module here does I/O.

sse.py            a byte stream as server-sent events
stream.py         the parts that all streamed responses share
announced.py      the first events, after which another route can still answer
relay.py          responses in the client's own protocol
stated.py         the model and the charge that a response names
shown.py          the parts of a provider's response that customers see
dialect.py        how an OpenAI-compatible upstream deviates
call_numbers.py   the index of each tool call in a stream
rendering.py      the form of a response for the client
faults.py         upstream failures, and their consequences
overflow.py       refusals of an input that is longer than the context
errors.py         error bodies that both protocols' clients read

`sse.py`, `stream.py` and `relay.py` are the measured hot path (docs/architecture.md#measures).
"""
