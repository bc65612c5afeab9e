"""What each provider declares: it can be found, is complete, and no list of providers is kept elsewhere."""

import re
from pathlib import Path

import pytest

from local.simulator.app import PROVIDERS as SIMULATED
from local.upkeep import provider_table
from local.upkeep.provider_table import PAGE, with_table
from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.support import KEY
from tollgate.providers import media
from tollgate.providers.runtime.accounts import accounts, media_accounts, text_accounts
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.declaration import Auth, Provider
from tollgate.providers.runtime.registry import MappingNames, mapper_of, providers
from tollgate.providers.text.openai_compatible.facts import VENDORS

every_provider = pytest.mark.parametrize("name", sorted(providers()))


class TestFound:
    def test_every_folder_is_a_provider_of_its_name(self) -> None:
        folders = {path.parent.name for path in Path(media.__path__[0]).glob("*/__init__.py")}
        assert set(providers()) == folders
        assert all(declared.name == name for name, declared in providers().items())

    def test_a_name_can_be_a_package_and_stand_in_a_direction_of_a_prompt(self) -> None:
        odd = [name for name in accounts() if not re.fullmatch(r"[a-z][a-z0-9]*", name)]
        assert odd == [], "a provider's name has only lower-case letters and digits"

    def test_the_simulator_speaks_for_all_that_need_a_key(self) -> None:
        assert set(SIMULATED) == set(media_accounts()) == set(providers()) - {"test"}

    def test_every_route_of_the_catalog_is_of_one(self) -> None:
        routed = {
            route.provider for model in CATALOG.media_models() for route in model.routes if route.enabled
        }
        assert routed <= set(providers())


class TestDeclared:
    @every_provider
    def test_its_mappings_and_its_adapter_are_there(self, name: str) -> None:
        declared = providers()[name]
        assert declared.mappers()
        assert issubclass(declared.module("media").Adapter, MediaAdapter) == (name != "test")

    @every_provider
    def test_it_has_an_address_or_asks_for_one(self, name: str) -> None:
        declared = providers()[name]
        assert declared.base_url.startswith("https://") == (not declared.self_hosted and name != "test")

    def test_who_sells_both_has_one_account(self) -> None:
        for name in media_accounts().keys() & text_accounts().keys():
            ours, theirs = media_accounts()[name], text_accounts()[name]
            assert (ours.key_env, ours.simulator_path) == (theirs.key_env, theirs.simulator_path), name

    def test_no_variable_is_two_providers(self) -> None:
        variables = [account.key_env for account in accounts().values()]
        assert len(set(variables)) == len(variables)

    def test_an_unknown_provider_or_mapping_has_no_mapper(self) -> None:
        assert mapper_of("nobody", "x") is None
        assert mapper_of("fal", "no-such-mapping") is None
        assert "nobody" not in MappingNames()


class TestAuth:
    @pytest.mark.parametrize(
        ("auth", "headers"),
        [
            (Auth(), {"authorization": f"Bearer {KEY}"}),
            (Auth(scheme="Key"), {"authorization": f"Key {KEY}"}),
            (Auth("x-key", scheme=""), {"x-key": KEY}),
            (Auth(""), {}),
        ],
    )
    def test_the_key_is_sent_as_declared(self, auth: Auth, headers: dict[str, str]) -> None:
        assert auth.headers(KEY) == headers

    def test_a_key_is_asked_for_by_all_but_the_built_in_one(self) -> None:
        keyless: list[Provider] = [one for one in providers().values() if one.key_env is None]
        assert [one.name for one in keyless] == ["test"]


def test_a_table_needs_a_page_for_each_provider_of_media(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_table, "PAGE", tmp_path / "README.md")
    for name in media_accounts():
        (tmp_path / f"{name}.md").touch()
    # Vendors of text share a page.
    assert "[`mistral`](openai_compatible.md)" in with_table("")
    (tmp_path / f"{name}.md").unlink()
    with pytest.raises(SystemExit, match=f"docs/providers/{name}.md is missing"):
        with_table("")


def test_the_page_of_the_providers_is_made_of_the_declarations() -> None:
    page = PAGE.read_text()
    assert page == with_table(page), "make provider-table"
    assert all(f"`{account.key_env}`" in page for account in accounts().values())


def test_each_vendor_of_text_has_a_row_on_the_page_that_they_share() -> None:
    page = PAGE.with_name(f"{provider_table.OTHERS}.md").read_text()
    rows = {
        name: f"| `{name}` | `{vendor.base_url or 'https://<resource>.'}" for name, vendor in VENDORS.items()
    }
    assert [row for row in rows.values() if row not in page] == []
