"""DynamoDB: rows, conditional writes as values, and their transports.

Nothing is imported here, because text uses these modules without the SDK.

rows.py            rows as plain values; `writes.py`: writes; `expressions.py`: their changes and conditions
templates.py       writes of the hot path, rendered once
core.py            requests, the meaning of responses, and the retry rules, without I/O
database.py        sends the requests through the SDK; `async_database.py`: without it, for text
pages.py           one page of a customer's rows, from an index
due_index.py       rows whose wake-up time has passed; `shards.py`: the partitions of this index
changes.py         changes of a table, read again from its stream
"""
