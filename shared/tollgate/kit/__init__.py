"""The foundation of all other packages: errors, money, ids, time, settings, DynamoDB and outbound HTTP.

Modules here do not depend on tasks, charging rules or providers.

clock.py       time, passed in as a value; `ids.py`: ULIDs with a prefix
money.py       micro-USD, and the only place that rounds
errors.py      every error that a customer can receive
json_body.py   bodies; `numbers.py`: their numbers; `query.py`: queries; `pages.py`: pages of rows
request_body.py   the body of a request, read within a bound
writes.py      conditional writes as values; `expressions.py`: their changes and conditions; `rows.py`: rows
dynamodb_core.py  requests to DynamoDB, the meaning of its responses, and the retry rules
dynamodb.py    sends them through the SDK; `dynamodb_async.py` without it, for text
contention.py  conflicts and throttles: which requests to retry, and the error after the last attempt
aws.py         the SDK's clients; `aws_json.py`, `sigv4.py`, `eventstream.py`: without it
http_client.py the HTTP client for text; `http_response.py`: its responses; `http_unpacking.py`: decompression
happy_eyeballs.py  connects to the first address of a host that responds
document.py    a document that is read repeatedly; `s3_document.py`, `s3_get.py`: from S3
s3_objects.py  private objects without the SDK, for text
due_index.py   rows that are due; `shards.py`: its partitions
queue.py       our queues; `batches.py`, `changes.py`, `dead_letters.py`: their consumers
outbound.py    the only client for addresses from outside; `addresses.py`: which are public
remembered.py  a value with an expiry; the newest of many entries
rotation.py    how long an old secret remains valid
mail.py        a mail as a value; `letter.py`: its design; `ses.py`: sends it
table.py       tables for spreadsheets
shapes.py      response declarations, for mypy and for OpenAPI
settings.py    configuration; `observability.py`: logs and metrics; `version.py`: the running release
cors.py        access for pages of other origins; `base_url.py`: the address of a request
"""
