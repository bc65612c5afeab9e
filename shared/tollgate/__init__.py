"""Tollgate: one API key and one prepaid balance for media generation and text models.

Lower packages never import higher packages. import-linter checks this (pyproject.toml).

account_closure/  the end of an account
composition/   creates and connects the parts of each function
operator/      actions of operators; command/: these as a command, run by `__main__.py`
tasks/         a generation, from create to its end; text/: a chat, from request to bill
quotes/        one price, one charge and one hold for many requests; batches/: many text requests in a file
workflows/     steps that use the results of earlier steps, paid from one hold
webhooks/      events about ended tasks; probing/: facts about customers' files
artifacts/     files in Tollgate's storage; thumbnails/: small images of them
providers/     the adapters for providers
catalog/       the models and their prices; routing/: wishes about providers
accounts/      accounts and API keys; members/: the people of an account; scim/: their directory
connectors/    sign-in of chat products
budgets/       hard limits of an account, its keys, end users and tags; run_tokens/: keys of agents; projects/
subaccounts/   prepaid accounts of end customers, each with a parent
reconciliation/  our costs beside the providers' reports
seals/         signed days of the ledger, which customers verify
ledger/        money; payments/: top-ups; low_balance/: notices and refills
notices/       mails to members; mail/: the layout and the sending of mails
usage/         statistics; activity/: each request and its cost; audit/: the log of changes and access
exports/       requests and costs for other programs
web/           the content of the pages; reference/: OpenAPI and the docs; mcp/: the service as tools
visits/        Tollgate's own customer, from outside
status/        the status page: checks, 90 days of them, incidents
kit/           shared by all of them
"""

from tollgate.kit.compiled_dataclasses import use_compiled

# Here, because it must precede the first dataclass. It does nothing outside a built layer.
use_compiled()
