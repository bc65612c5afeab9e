"""OpenAI's Responses API over chat: a chat request from items, and a response from the chat's result.

The first three modules are pure.

items.py     items as messages of a chat, and the reverse for stored items
request.py   the body of a request: checked, and as a chat body
events.py    a chat result as a response: one path for whole and streamed results
rendering.py the same for its client, stored before its end is sent
gathering.py how many bytes a request gathers from stored responses
repository.py, service.py   stored responses, and their routes

Source: https://platform.openai.com/docs/api-reference/responses, and the types of OpenAI's own SDK, with
which the tests read every response.
"""
