"""Batches of text requests: many requests in one file, answered later by `functions/run_batch`.

Each line is an ordinary text request with its own hold and charge (docs/decisions/0094-batches.md). Lines of
models with a batch price are sent to the vendor's batch API instead.

models.py      a batch and its states; `lines.py`: the lines of its input and of its results
request.py     bodies and queries; `views.py`: batches in the shapes of OpenAI and Anthropic
repository.py  the rows of batches and of results
reader.py      batches on an account's pages
service.py     the routes; `download.py`: a file of results on its way to the client
calls.py       one line as a text request
worker.py      runs a batch for some minutes; `attempts.py`: the attempts of one line
parcels.py     the lines that are at a vendor together; `vendor_lines.py`: which lines, and how they are sent
parcel_worker.py  makes parcels and moves them; `parcel_steps.py`: the steps of one parcel
finding.py     finds a batch at a vendor whose create had no answer
vendor_calls.py  the calls of the vendor; `collecting.py`: the results
parcel_money.py   reserves, charges and returns their money
finishing.py   writes the files of results
"""
