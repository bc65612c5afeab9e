"""What every other package stands on: errors, money, ids, time, settings, DynamoDB and outbound HTTP.

Nothing here knows of tasks, money's rules or providers.

clock.py       time as one thing that is passed in; `ids.py`: ULIDs with a prefix
money.py       micro-USD, and the one place that rounds
errors.py      every error a customer can meet
json_body.py   bodies; `numbers.py`: their numbers; `query.py`: queries; `pages.py`: pages of rows
writes.py      conditional writes as values; `expressions.py`: what they change, and when; `rows.py`: rows
dynamodb_core.py  what DynamoDB is asked, what its answers mean, when a request is sent again
dynamodb.py    carries that out through the SDK; `dynamodb_async.py` without it, for text
contention.py  conflicts and throttles: what is worth another attempt, and what is said after the last one
aws.py         the SDK's clients; `aws_json.py`, `sigv4.py`, `eventstream.py`: without it
http_client.py how text asks others; `http_response.py`: an answer as it comes; `http_unpacking.py`: packed
happy_eyeballs.py  connects to the first address of a host that answers
document.py    a document read again and again; `s3_document.py`, `s3_get.py`: from S3
s3_objects.py  private objects without the SDK, for text
due_index.py   rows whose time has come; `shards.py`: its partitions
queue.py       our queues; `batches.py`, `changes.py`, `dead_letters.py`: what comes from them
outbound.py    the one client for addresses that others name; `addresses.py`: which are public
remembered.py  a value read again after a while; the newest of many entries
rotation.py    how long an old secret lives on
mail.py        a mail as a value; `letter.py`: in our look; `ses.py`: sends it
table.py       tables for spreadsheets
shapes.py      how answers are declared, for mypy and for OpenAPI
settings.py    configuration; `observability.py`: logs and metrics; `version.py`: what runs
cors.py        what a page of another origin may read; `base_url.py`: where a request came in
"""
