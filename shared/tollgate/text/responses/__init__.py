"""OpenAI's Responses API over chat: what a client sends as items goes on as a chat request, and what comes
back, whole or streamed, is told as a response with its items and events. The first three are pure.

items.py     items as messages of a chat, and the other way round for stored ones
request.py   the body of a request: checked, and as a chat body
events.py    a chat answer as a response: one path for whole and streamed answers
rendering.py that, as its client reads it, and stored before its end is told
gathering.py how many bytes a request brings together from stored responses
repository.py, service.py   stored responses, and what is asked of them

Source: https://platform.openai.com/docs/api-reference/responses, and the types of OpenAI's own SDK, which
the tests read every answer with.
"""
