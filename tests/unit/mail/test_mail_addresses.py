"""E-mail addresses as people type them."""

import pytest

from tollgate.mail.addresses import address_of


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("ada@example.com", "ada@example.com"),
        (" Ada.B+shop@Example.COM ", "ada.b+shop@example.com"),
        ("o'neil@xn--caf-dma.example", "o'neil@xn--caf-dma.example"),
        ("operator@tollgate.local", "operator@tollgate.local"),
        (f"{'a' * 64}@example.com", f"{'a' * 64}@example.com"),
    ],
)
def test_an_address_is_compared_in_one_way(typed: str, address: str) -> None:
    assert address_of(typed) == address


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ada",
        "ada@",
        "@example.com",
        "ada@example",
        "ada@@example.com",
        "ada@example..com",
        "ada@-example.com",
        ".ada@example.com",
        "ada.@example.com",
        "ada..b@example.com",
        "a da@example.com",
        "ada,bob@example.com",
        "<ada@example.com>",
        "ada@[127.0.0.1]",
        # Amazon SES takes 7-bit ASCII alone.
        "é@shop.example",
        "ada@café.example",
        "ada\u200b@example.com",
        f"{'a' * 65}@example.com",
        f"ada@{'a' * 64}.com",
        f"a@{'a.' * 125}com",
    ],
)
def test_what_no_mail_can_be_sent_to_is_none(typed: str) -> None:
    assert address_of(typed) is None
