"""Webhooks: what is sent, how it is signed, when it is tried again, and where we may send.

In: the delivery that a task's end wrote, as a message `{delivery_id, seq}`. Out: one signed POST an
attempt, and the log of it. What customers see: docs/webhooks.md.

models.py       a delivery and its log
payload.py      the event, its signature
schedule.py     when it is attempted: pure
sender.py       one attempt: lane, claim, send, record, leave
failing.py      endpoints that were given up on
repository.py   deliveries and lanes in DynamoDB
receivers.py    URLs that are refused when they are given
request.py      what customers send to these routes
service.py      see, send again, test, rotate the secret
"""
