"""The foundation of all other packages: errors, money, ids, time, settings, AWS, DynamoDB and HTTP.

Modules here do not depend on tasks, charging rules or providers.

aws/                AWS services, with the SDK and without it
dynamodb/           rows, conditional writes and their retries
http/               requests that arrive, and requests to others

clock.py            time, passed in as a value; `ids.py`: ULIDs with a prefix
encoded_json.py     compact JSON, and an object that stays text
money.py            micro-USD, and the only place that rounds; `numbers.py`: numbers of a request
errors.py           the form of all errors for customers, and errors of several packages
problems.py         the problems of a body; `fields.py`: reads the fields of a body
retry.py            conflicts and throttles: which requests to retry, and the error after the last attempt
cache.py            a value with an expiry; a dict with a bound
remote_document.py  a document that is stored elsewhere and read repeatedly
response_shapes.py  declarations of responses, for mypy and for OpenAPI
csv_table.py        tables for spreadsheets; `words.py`: sentences that a page can translate
rotation.py         how long an old secret remains valid
compiled_dataclasses.py  methods of dataclasses, from the layer's build
settings.py         configuration; `observability.py`: logs and metrics; `version.py`: the running release
"""
