"""Two changes of one team at once, on an emulator whose transactions hold."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.composition.dashboard import Dashboard
from tollgate.kit.ids import new_id
from tollgate.members.identities import Person
from tollgate.members.roles import Role
from tollgate.members.service import Actor
from tollgate.members.team import TeamError

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

ROUNDS = 8


@pytest.fixture
def joined(service: object) -> Iterator[Dashboard]:
    """Return the dashboard's parts, at the emulator."""
    parts.forget()
    yield dashboard_parts.dashboard()
    parts.forget()


def person(joined: Dashboard) -> tuple[str, Actor]:
    """Return somebody new, with the account that their sign-in made."""
    who = Person(new_id("development#"), "x", f"{new_id('mail').lower()}@example.com")
    return joined.identities.account_of(who), Actor(who.identity_id, who.email or "")


def together(*acts: Callable[[], object]) -> list[Exception | None]:
    """Do all at once; return what each raised."""

    def caught(act: Callable[[], object]) -> Exception | None:
        try:
            act()
        except TeamError as error:
            return error
        return None

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(caught, acts))


def test_two_owners_who_demote_each_other_leave_one(joined: Dashboard) -> None:
    members = joined.members
    account_id, ada = person(joined)
    _, bob = person(joined)
    token = members.invite(account_id, bob.name, Role.OWNER, ada, str).token
    members.accept(token, bob)
    for _ in range(ROUNDS):
        raised = together(
            lambda: members.change_role(account_id, bob.identity_id, Role.VIEWER, ada),
            lambda: members.change_role(account_id, ada.identity_id, Role.VIEWER, bob),
        )
        team = members.team(account_id)
        owners = [one.identity_id for one in team.members if one.role is Role.OWNER]
        assert len(owners) == 1
        assert sum(error is not None for error in raised) == 1
        left = ada if owners == [ada.identity_id] else bob
        for who in (ada, bob):
            members.change_role(account_id, who.identity_id, Role.OWNER, left)


def test_two_owners_who_leave_at_once_leave_one(joined: Dashboard) -> None:
    members = joined.members
    for _ in range(ROUNDS):
        account_id, ada = person(joined)
        _, bob = person(joined)
        members.accept(members.invite(account_id, bob.name, Role.OWNER, ada, str).token, bob)
        raised = together(
            partial(members.remove, account_id, ada.identity_id, ada),
            partial(members.remove, account_id, bob.identity_id, bob),
        )
        assert sum(error is not None for error in raised) == 1
        (left,) = members.team(account_id).members
        assert left.role is Role.OWNER
        gone = ada if left.identity_id == bob.identity_id else bob
        assert account_id not in members.identity(gone.identity_id).accounts


def test_an_invitation_accepted_many_times_at_once_is_accepted_once(joined: Dashboard) -> None:
    members = joined.members
    account_id, ada = person(joined)
    own, bob = person(joined)
    token = members.invite(account_id, bob.name, Role.DEVELOPER, ada, str).token
    raised = together(*[lambda: members.accept(token, bob)] * ROUNDS)
    assert sum(error is None for error in raised) == 1
    assert [one.identity_id for one in members.team(account_id).members] == [ada.identity_id, bob.identity_id]
    assert members.identity(bob.identity_id).accounts == (own, account_id)
    noted = [event.action for event in members.audit.page(account_id).rows]
    assert noted == ["member.joined", "member.invited"]


@pytest.mark.parametrize("demoted", [True, False])
def test_who_is_taken_out_while_their_invitation_is_accepted_leaves_no_open_one(
    joined: Dashboard, demoted: bool
) -> None:
    members = joined.members
    for _ in range(ROUNDS):
        account_id, ada = person(joined)
        _, bob = person(joined)
        _, eve = person(joined)
        members.accept(members.invite(account_id, bob.name, Role.OWNER, ada, str).token, bob)
        token = members.invite(account_id, eve.name, Role.OWNER, bob, str).token

        def take_out(account_id: str = account_id, bob: Actor = bob, ada: Actor = ada) -> None:
            if demoted:
                members.change_role(account_id, bob.identity_id, Role.VIEWER, ada)
            else:
                members.remove(account_id, bob.identity_id, ada)

        refused, late = together(partial(members.accept, token, eve), take_out)
        assert late is None
        assert members.team(account_id).role_of(bob.identity_id) is (Role.VIEWER if demoted else None)
        noted = [str(event.action) for event in members.audit.page(account_id).rows][::-1]
        # Whoever was first: an invitation that opened did so before its maker lost the right.
        if refused is None:
            assert noted.index("member.joined", 2) < noted.index(
                "member.changed" if demoted else "member.removed"
            )
        else:
            assert members.team(account_id).role_of(eve.identity_id) is None
        with pytest.raises(TeamError):
            members.accept(token, eve)


def test_an_owner_who_invites_while_they_are_taken_out_leaves_no_open_invitation(joined: Dashboard) -> None:
    members = joined.members
    for _ in range(ROUNDS):
        account_id, ada = person(joined)
        _, bob = person(joined)
        _, eve = person(joined)
        members.accept(members.invite(account_id, bob.name, Role.OWNER, ada, str).token, bob)
        together(
            partial(members.invite, account_id, eve.name, Role.OWNER, bob, str),
            partial(members.remove, account_id, bob.identity_id, ada),
        )
        assert members.team(account_id).role_of(bob.identity_id) is None
        assert members.team(account_id).invitations == ()


def test_invitations_at_once_never_pass_their_bound(joined: Dashboard) -> None:
    members = joined.members
    account_id, ada = person(joined)
    for number in range(17):
        members.invite(account_id, f"{number}@example.com", Role.VIEWER, ada, str)
    late = [f"late{number}@example.com" for number in range(6)]
    together(*(partial(members.invite, account_id, each, Role.VIEWER, ada, str) for each in late))
    assert len(members.team(account_id).invitations) == 20
