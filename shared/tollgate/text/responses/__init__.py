"""OpenAI's Responses API, at providers that have it, and over chat at the others.

The modules above `rendering.py` are pure.

items.py     items as messages of a chat, and the reverse for stored items
request.py   the body of a request: checked, and as a chat body; `as_chat.py`: as a chat request
tools.py     the tools of a request as tools of a chat
output_items.py  the items of a response in progress
events.py    a chat result as a response: one path for whole and streamed results
native.py    the body for a provider that has the protocol, with its own reasoning
relay.py     such a provider's response, read into the meter
native_events.py  such a response with our ids and the client's fields
compaction.py  a conversation replaced by a summary
replay.py    a stored response as a stream
paging.py    a page of items
rendering.py the same for its client, stored before its end is sent
gathering.py how many bytes a request gathers from stored responses
keeping.py   stores a response and its turn in a conversation
storage.py   rows and objects of stored content
repository.py, service.py   stored responses, and their routes
states.py    the states of a background response; `timers.py`: its timer
stopped.py   returns the charges of responses whose process stopped, for the sweep
background.py  starts, runs and cancels such responses
parts.py     their events as they are stored; `follow.py`: the same as a stream
conversations.py, conversation_service.py   the same for conversations
metadata.py  the metadata of conversations and batches

Source: https://platform.openai.com/docs/api-reference/responses, and the types of OpenAI's own SDK, with
which the tests read every response.
"""
