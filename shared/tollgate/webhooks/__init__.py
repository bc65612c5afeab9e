"""Webhooks: their content, their signature, their schedule, and the URLs that are allowed.

In: a message `{delivery_id, seq}` about a delivery, which the end of a task wrote. Out: one signed POST for
each attempt, and the log of attempts. For customers: site/webhooks.md.

models.py            a delivery and its log
payload.py           the event, its signature
schedule.py          when a delivery is attempted: pure
sender.py            one attempt: enter the lane, claim, send, record, leave
failing_endpoints.py notes endpoints whose deliveries failed in every attempt
repository.py        deliveries and lanes in DynamoDB
receivers.py         checks URLs when customers enter them
request.py           the queries and bodies of these routes
errors.py            the errors of deliveries
service.py           list, redeliver, test, rotate the secret
"""
