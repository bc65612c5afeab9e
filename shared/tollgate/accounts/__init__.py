"""Customers: the account, its API keys and their authentication.

In: the headers with a key, and requests about keys. Out: an `ApiKey` with the caller's account and
permissions, or the error that refuses it. Balances are in `ledger/`.

models.py          accounts and keys as stored; views.py: as shown; scopes.py: the uses that a key permits
keys.py            the text of a key: generate, check, hash
chat_keys.py       the ids and lifetimes of the chat page's keys
connectors.py      the tokens of keys that chat products use
sent_key.py        the key in a request's headers
auth.py            checks of the caller's key; `async_auth.py` is the same for text, without blocking
networks.py        the networks from which a key may be used
delegation.py      the rights of one key over another
key_request.py     the body of a request about a key, checked as a whole
key_service.py     list, create, change, rotate, revoke
routing_service.py the routing policy of an account
answers_service.py whether text answers are completed after their client has disconnected
cap_monitor.py     spending caps that are nearly used up: a line of the audit log
errors.py          the errors of API keys
service.py         open an account, show it
webhook_secrets.py the secrets that sign webhooks, and their rotation
repository.py      all of it in DynamoDB
"""
