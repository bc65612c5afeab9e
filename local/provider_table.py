"""`make provider-table`: writes the table of docs/providers/README.md from what the providers declare."""

from local.template import ROOT
from tollgate.providers.runtime.accounts import accounts, media_accounts, text_accounts

PAGE = ROOT / "docs" / "providers" / "README.md"
_BEGIN = "<!-- made by `make provider-table` from what the providers declare -->\n"
_END = "<!-- end -->"
_HEAD = """| Name | Provider | Sells | Variable | Its documentation |
|---|---|---|---|---|
"""


def with_table(page: str) -> str:
    """Return `page` with the table as it should be: a row for each provider, by name."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return "".join((before, _BEGIN, _HEAD, *(_row(name) for name in sorted(accounts())), _END, after))


def _row(name: str) -> str:
    account = accounts()[name]
    sold = [("media", media_accounts()), ("text", text_accounts())]
    sells = ", ".join(what for what, sellers in sold if name in sellers)
    variables = ", ".join(f"`{one}`" for one in (account.key_env, account.address_env) if one)
    return f"| `{name}` | {account.about.title} | {sells} | {variables} | <{account.about.docs}> |\n"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
