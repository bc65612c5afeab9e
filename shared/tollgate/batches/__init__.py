"""Batches of text requests: many requests in one file, answered later by `functions/run_batch`.

Each line is an ordinary text request with its own hold and charge (docs/decisions/0094-batches.md).

models.py      a batch and its states; `lines.py`: the lines of its input and of its results
request.py     bodies and queries; `views.py`: batches in the shapes of OpenAI and Anthropic
repository.py  the rows of batches and of results
reader.py      batches on an account's pages
service.py     the routes; `download.py`: a file of results on its way to the client
calls.py       one line as a text request
worker.py      runs a batch for some minutes; `attempts.py`: the attempts of one line
finishing.py   writes the files of results
"""
