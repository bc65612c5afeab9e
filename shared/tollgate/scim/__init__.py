"""SCIM 2.0: a company's directory adds the members of one account, and removes them.

In: a request with the account's directory token. Out: a SCIM resource, or a SCIM error
(docs/decisions/0101-company-access.md). Source: RFC 7643 (schemas) and RFC 7644 (protocol).

directory.py    the users of an account's directory as one value, and the rules
tokens.py       the directory's token
attributes.py   the attributes of a user: reading a body, and the description of the schema
patch.py        the operations of PATCH
filters.py      filters, pages and chosen attributes of a list
discovery.py    the documents that describe this service to a directory
errors.py       SCIM's errors
service.py      create, read, replace, change and delete users; join the account
repository.py   directories in DynamoDB
"""
