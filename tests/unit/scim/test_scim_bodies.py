"""What directories send: bodies, operations of PATCH and filters, as Okta and Entra ID document them.

Okta: https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
Entra ID: https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
"""

from typing import Any

import pytest

from tollgate.scim.attributes import MAX_VALUES, address_in, fields_of, role_in
from tollgate.scim.errors import ScimError
from tollgate.scim.filters import chosen, filter_of
from tollgate.scim.patch import MAX_OPERATIONS, patched
from tollgate.scim.tokens import account_of, new_token

WORK, HOME = {"value": "bo@work.com", "type": "work"}, {"value": "bo@home.com", "type": "home"}
BO: dict[str, Any] = {
    "userName": "bo@work.com",
    "name": {"givenName": "Bo"},
    "emails": [{**WORK, "primary": True}],
    "active": True,
}
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
CORE = "urn:ietf:params:scim:schemas:core:2.0:User"


def operation(op: str, path: str | None = None, value: Any = None) -> dict[str, Any]:
    return {
        "op": op,
        **({} if path is None else {"path": path}),
        **({} if value is None else {"value": value}),
    }


PATCHES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "okta ends access": (operation("replace", value={"active": False}), {"active": False}),
    "entra ends access with text": (operation("Replace", "active", "False"), {"active": False}),
    "entra gives access": (operation("Add", "active", "True"), {"active": True}),
    "by the schema's name": (operation("replace", f"{CORE}:active", False), {"active": False}),
    "entra's dotted names": (
        operation("Replace", value={"name.familyName": "Lund", "displayName": "Bo Lund"}),
        {"name": {"givenName": "Bo", "familyName": "Lund"}, "displayName": "Bo Lund"},
    ),
    "names in any case": (operation("replace", "NAME.GivenName", "B"), {"name": {"givenName": "B"}}),
    "a part of the entry for which a filter holds": (
        operation("Replace", 'emails[type eq "work"].value', "bo@new.com"),
        {"emails": [{"value": "bo@new.com", "type": "work", "primary": True}]},
    ),
    "an entry that entra adds by its filter": (
        operation("Add", 'emails[type eq "home"].value', "bo@home.com"),
        {"emails": [*BO["emails"], HOME]},
    ),
    "an entry that is primary from now on": (
        operation("add", "emails", [{**HOME, "primary": True}]),
        {"emails": [{**WORK, "primary": False}, {**HOME, "primary": True}]},
    ),
    "an entry that is there": (operation("add", "emails", [WORK]), {"emails": [WORK]}),
    "all entries": (operation("replace", "emails", HOME), {"emails": [HOME]}),
    "entra's role": (
        operation("Add", 'roles[primary eq "True"].value', "Billing"),
        {"roles": [{"value": "billing", "primary": True}]},
    ),
    "a role as text": (operation("add", "roles", ["viewer"]), {"roles": [{"value": "viewer"}]}),
    "a name removed": (operation("remove", "name"), {"name": None}),
    "the only part removed": (operation("Remove", "name.givenName"), {"name": None}),
    "no such entry to remove": (operation("remove", 'emails[type eq "other"]'), {}),
    "an attribute that is not stored": (operation("Add", "title", "Smith"), {}),
    "an attribute of an extension": (operation("Add", f"{ENTERPRISE}:department", "Tools"), {}),
}  # fmt: skip
REFUSED = {
    "an unknown word for no": (operation("replace", "active", "no"), "invalidValue"),
    "access cannot be removed": (operation("remove", "active"), "mutability"),
    "nor the name": (operation("remove", "userName"), "mutability"),
    "an empty name": (operation("replace", "userName", ""), "invalidValue"),
    "no address left": (operation("replace", value={"userName": "bo", "emails": []}), "invalidValue"),
    "an id": (operation("replace", "id", "1"), "mutability"),
    "an unknown attribute": (operation("replace", "shoeSize", 43), "invalidPath"),
    "an unknown part": (operation("replace", "name.nick", "B"), "invalidPath"),
    "a filter on no list": (operation("replace", 'name[type eq "x"].givenName', "B"), "invalidPath"),
    "another filter": (operation("replace", 'emails[type sw "w"].value', "b@x.com"), "invalidFilter"),
    "a path that is none": (operation("replace", "emails[", "b"), "invalidPath"),
    "a removal of nothing": (operation("remove"), "noTarget"),
    "a value without a place": (operation("replace", value="x"), "invalidValue"),
    "an unknown operation": (operation("move", "active", False), "invalidSyntax"),
    "an owner": (operation("add", "roles", [{"value": "owner"}]), "invalidValue"),
    "two primary addresses": (
        operation("replace", "emails", [{**WORK, "primary": True}, {**HOME, "primary": True}]),
        "invalidValue",
    ),
    "too many addresses": (
        operation("replace", "emails", [{"value": f"{n}@x.com"} for n in range(MAX_VALUES + 1)]),
        "invalidValue",
    ),
    "too many bytes": (
        operation("replace", "emails", [*BO["emails"], *[{"value": "𝄞" * 200}] * 4]), "invalidValue",
    ),
    "a long name": (operation("replace", "displayName", "x" * 101), "invalidValue"),
    "a number as name": (operation("replace", "displayName", 1), "invalidValue"),
}  # fmt: skip


class TestPatch:
    @pytest.mark.parametrize("name", PATCHES)
    def test_an_operation_changes_what_it_names(self, name: str) -> None:
        sent, changes = PATCHES[name]
        wanted = {key: one for key, one in {**BO, **changes}.items() if one is not None}
        assert patched(BO, {"Operations": [sent]}) == wanted

    @pytest.mark.parametrize("name", REFUSED)
    def test_another_operation_is_refused_by_its_kind(self, name: str) -> None:
        sent, kind = REFUSED[name]
        with pytest.raises(ScimError) as refused:
            patched(BO, {"Operations": [sent]})
        assert refused.value.scim_type == kind

    @pytest.mark.parametrize("operations", [None, [], "x", ["x"], [{}] * (MAX_OPERATIONS + 1)])
    def test_a_body_without_operations_is_refused(self, operations: Any) -> None:
        with pytest.raises(ScimError) as refused:
            patched(BO, {"Operations": operations})
        assert refused.value.scim_type == "invalidSyntax"

    def test_a_role_that_entra_changes_stays_one(self) -> None:
        change = 'roles[primary eq "True"].value'
        steps = [operation("Add", change, "billing"), operation("Replace", change, "viewer")]
        after = patched(BO, {"Operations": steps})
        assert after["roles"] == [{"value": "viewer", "primary": True}]

    def test_operations_follow_each_other_and_leave_what_was_read(self) -> None:
        before = dict(BO)
        steps = [operation("replace", "displayName", "A"), operation("remove", "displayName")]
        assert patched(BO, {"Operations": steps}) == BO == before


class TestABody:
    def test_the_attributes_of_the_standard_are_kept_or_passed_over(self) -> None:
        body = {
            **BO,
            "schemas": [CORE],
            "externalId": "00u1",
            "title": "Smith",
            ENTERPRISE: {"department": "x"},
        }
        assert fields_of(body) == {**BO, "externalId": "00u1"}

    @pytest.mark.parametrize(
        ("fields", "address"),
        [
            ({"userName": "Bo@Work.com"}, "bo@work.com"),
            ({"userName": "bo", "emails": [HOME, {**WORK, "primary": True}]}, "bo@work.com"),
            ({"userName": "bo@work.com", "emails": [HOME]}, "bo@home.com"),
            ({"userName": "bo"}, None),
        ],
        ids=["userName", "primary", "first", "none"],
    )
    def test_the_address_is_the_primary_one(self, fields: Any, address: str | None) -> None:
        assert address_in(fields) == address
        if address is None:
            with pytest.raises(ScimError):
                fields_of(fields)

    def test_a_role_is_read_in_any_case(self) -> None:
        assert role_in(fields_of({**BO, "roles": ["Viewer"]})) == "viewer"


class TestAFilter:
    @pytest.mark.parametrize(
        ("text", "holds"),
        [
            ('userName eq "BO@work.com"', True),
            (f'{CORE}:userName eq "bo@work.com"', True),
            ('externalId eq "00u1"', True),
            ('externalId eq "00U1"', False),
            ('emails.value eq "bo@work.com"', True),
            ('emails[type eq "work"].value eq "bo@work.com"', True),
            ("active eq true", True),
            ('active eq "True"', True),
            ('active eq "yes"', False),
            ('name.givenName EQ "bo"', True),
            ('userName eq "bo"', False),
            (r'userName eq "a\"b"', False),
            ('shoeSize eq "43"', False),
        ],
    )
    def test_an_equality_holds_or_not(self, text: str, holds: bool) -> None:
        assert filter_of(text).holds({**BO, "externalId": "00u1"}) is holds

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "userName",
            'userName sw "b"',
            'userName eq "b" and active eq true',
            "userName eq b",
            "x" * 2_000,
        ],
    )
    def test_another_filter_is_refused(self, text: str) -> None:
        with pytest.raises(ScimError) as refused:
            filter_of(text)
        assert refused.value.scim_type == "invalidFilter"

    def test_attributes_are_chosen_and_the_id_stays(self) -> None:
        resource = {"schemas": [CORE], "id": "1", **BO}
        assert chosen(resource, f"{CORE}:userName, name.givenName", None).keys() == {
            "schemas",
            "id",
            "userName",
            "name",
        }
        assert chosen(resource, None, "emails,id").keys() == {"schemas", "id", "userName", "name", "active"}


class TestAToken:
    def test_it_names_its_account_and_no_other_text_does(self) -> None:
        account_id = "usr_01JDXP8Q5Z0000000000000000"
        token = new_token(account_id)
        assert account_of(token) == account_id
        changed = token[:40] + ("0" if token[40] != "0" else "1") + token[41:]
        assert [account_of(each) for each in ("", "tg_scim_", token[:-1], changed, token + "x" * 200)] == [
            None
        ] * 5
