"""Customers: the account, its API keys, who is calling.

In: an `Authorization` header, and what customers ask about their keys. Out: an `ApiKey` that says whose
request it is and what it may do, or the error that refuses it. Balances are not here but in `ledger/`.

models.py            accounts and keys as stored and as shown
keys.py              the text of a key: made, checked, hashed
chat_keys.py         which keys the chat page has
auth.py              who is calling; `async_auth.py` is the same for text, without blocking
networks.py          where a key may be used from
delegation.py        what one key may do to another
key_request.py       what a body says about a key, checked as a whole
key_service.py       list, make, change, rotate, revoke
answers_service.py   what becomes of text answers whose client has gone
cap_watch.py         spending caps that are nearly used up: a line of the audit log
service.py           open an account, show it
webhook_secrets.py   the secrets that sign webhooks, and their rotation
repository.py        all of it in DynamoDB
"""
