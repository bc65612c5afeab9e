"""Requests that are no chats. Each kind has a request, a bound on its usage and a reader of its response.

table.py          a row for each kind
completions.py    legacy completions over chat
embeddings.py     vectors of texts; also `rerank.py` and `moderations.py`; `plain.py`: their exchange
speech.py         recordings of texts
transcription.py  texts of recordings
whole.py          the usage of a response that costs nothing until it is whole
"""
