"""The rules of a team: invitations that open once, and an owner at any time."""

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.members.roles import Role
from tollgate.members.team import (
    INVITATION_MS,
    MAX_INVITATIONS,
    MAX_MAILS_PER_DAY,
    MAX_MEMBERS,
    AccountClosure,
    Invitation,
    Member,
    Team,
    TeamError,
    accepted,
    founded,
    invited,
    revoked,
    sent_again,
    with_role,
    without,
)

NOW_MS = 1_795_000_000_000
DAY_MS = 86_400_000
ACCOUNT = "usr_01JD0000000000000000000000"
FOUNDED = founded(ACCOUNT, "ada", NOW_MS)


def with_invitation(
    team: Team = FOUNDED, email: str = "bob@example.com", now_ms: int = NOW_MS
) -> tuple[Team, Invitation]:
    return invited(team, email, Role.DEVELOPER, "secret", by="ada", emails=["ada@example.com"], now_ms=now_ms)


def accept(team: Team, made: Invitation, **changed: object) -> Team:
    asked: dict[str, object] = {
        "secret": "secret",
        "identity_id": "bob",
        "email": "bob@example.com",
        "now_ms": NOW_MS,
    }
    asked |= changed
    return accepted(team, made.invitation_id, asked.pop("secret"), **asked)[0]  # type: ignore[arg-type]


class TestInvitations:
    def test_it_makes_a_member_of_its_role_and_is_gone(self) -> None:
        team, made = with_invitation()
        joined = accept(team, made)
        assert joined.role_of("bob") is Role.DEVELOPER
        assert joined.invitations == ()
        with pytest.raises(TeamError, match="no longer valid"):
            accept(joined, made, identity_id="eve")

    def test_its_secret_is_not_stored(self) -> None:
        assert "'secret'" not in str(with_invitation()[0].to_item())

    @pytest.mark.parametrize("email", ["eve@example.com", None, ""])
    def test_only_who_proved_its_address_may_accept(self, email: str | None) -> None:
        team, made = with_invitation()
        with pytest.raises(TeamError, match=r"is for bob@example\.com"):
            accept(team, made, email=email)

    def test_a_wrong_secret_opens_nothing(self) -> None:
        team, made = with_invitation()
        with pytest.raises(TeamError, match="no longer valid"):
            accept(team, made, secret="Secret")

    def test_it_is_over_after_seven_days(self) -> None:
        team, made = with_invitation()
        accept(team, made, now_ms=NOW_MS + INVITATION_MS - 1)
        with pytest.raises(TeamError, match="no longer valid"):
            accept(team, made, now_ms=NOW_MS + INVITATION_MS)

    def test_a_revoked_one_opens_nothing(self) -> None:
        team, made = with_invitation()
        with pytest.raises(TeamError, match="no longer valid"):
            accept(revoked(team, made.invitation_id)[0], made)

    def test_sent_again_only_the_new_link_works_and_for_seven_days(self) -> None:
        team, made = with_invitation()
        later = NOW_MS + INVITATION_MS - 1
        again, renewed = sent_again(team, made.invitation_id, "other", "ada", later)
        with pytest.raises(TeamError):
            accept(again, made, now_ms=later)
        accept(again, renewed, secret="other", now_ms=later + INVITATION_MS - 1)

    def test_a_member_or_an_invited_address_is_not_invited_again(self) -> None:
        team, _ = with_invitation()
        with pytest.raises(TeamError, match="invited already"):
            with_invitation(team)
        with pytest.raises(TeamError, match="a member already"):
            with_invitation(email="ada@example.com")
        # One that is over is in nobody's way.
        assert len(with_invitation(team, now_ms=NOW_MS + INVITATION_MS)[0].invitations) == 1

    def test_open_ones_are_bounded(self) -> None:
        team = FOUNDED
        for number in range(MAX_INVITATIONS):
            team, _ = with_invitation(team, f"{number}@example.com")
        with pytest.raises(TeamError, match="20 open invitations"):
            with_invitation(team)

    def test_members_are_bounded_with_those_invited(self) -> None:
        others = tuple(Member(str(number), Role.VIEWER, NOW_MS) for number in range(MAX_MEMBERS - 1))
        with pytest.raises(TeamError, match="at most 50 members"):
            with_invitation(replace(FOUNDED, members=(*FOUNDED.members, *others)))

    def test_mails_of_a_day_are_bounded_whatever_is_revoked(self) -> None:
        team = FOUNDED
        for _ in range(MAX_MAILS_PER_DAY):
            team, made = with_invitation(team)
            team, _ = revoked(team, made.invitation_id)
        with pytest.raises(TeamError, match="sent today"):
            with_invitation(team)
        assert with_invitation(team, now_ms=NOW_MS + DAY_MS)[0].mails == 1


class TestInvitationsOfSomebodyWhoMayNotInviteAnyMore:
    """Ada owns the account; Bob owned it too, and invited Eve as an owner."""

    BOTH = replace(FOUNDED, members=(Member("ada", Role.OWNER, NOW_MS), Member("bob", Role.OWNER, NOW_MS)))

    def invitations(self) -> tuple[Team, Invitation, Invitation]:
        """Return the team with an invitation of Ada's and one of Bob's."""
        team, of_ada = with_invitation(self.BOTH, "cy@example.com")
        asked = {"by": "bob", "emails": [], "now_ms": NOW_MS}
        team, of_bob = invited(team, "eve@example.com", Role.OWNER, "secret", **asked)  # type: ignore[arg-type]
        return team, of_ada, of_bob

    @pytest.mark.parametrize("role", [Role.DEVELOPER, Role.BILLING, Role.VIEWER, None])
    def test_they_end_with_the_right_and_others_stay(self, role: Role | None) -> None:
        team, of_ada, of_bob = self.invitations()
        after = without(team, "bob") if role is None else with_role(team, "bob", role)
        assert after.invitations == (of_ada,)
        with pytest.raises(TeamError, match="no longer valid"):
            accept(after, of_bob, identity_id="eve", email="eve@example.com")
        assert accept(after, of_ada, identity_id="cy", email="cy@example.com").role_of("cy")

    def test_the_right_back_does_not_bring_them_back(self) -> None:
        team, of_ada, of_bob = self.invitations()
        again = with_role(with_role(team, "bob", Role.VIEWER), "bob", Role.OWNER)
        assert again.open_invitations(NOW_MS) == (of_ada,)
        with pytest.raises(TeamError, match="no longer valid"):
            accept(again, of_bob, identity_id="eve", email="eve@example.com")

    def test_one_of_a_row_from_before_is_not_open(self) -> None:
        # Who was removed by older code left their invitations behind.
        team, of_ada, of_bob = self.invitations()
        row = replace(team, members=team.members[:1]).to_item()
        left = Team.from_item(row)
        assert left.open_invitations(NOW_MS) == (of_ada,)
        for act in (
            lambda: accept(left, of_bob, identity_id="eve", email="eve@example.com"),
            lambda: sent_again(left, of_bob.invitation_id, "other", "ada", NOW_MS),
        ):
            with pytest.raises(TeamError, match="no longer valid"):
                act()

    def test_sent_again_by_another_owner_it_is_theirs(self) -> None:
        team, _, of_bob = self.invitations()
        again, renewed = sent_again(team, of_bob.invitation_id, "other", "ada", NOW_MS)
        assert renewed in without(again, "bob").invitations

    def test_open_ones_end_when_the_account_is_being_closed(self) -> None:
        team, made = with_invitation()
        closing = replace(team, closing=AccountClosure(NOW_MS, NOW_MS + DAY_MS, gives_up=False))
        assert closing.open_invitations(NOW_MS) == ()
        with pytest.raises(TeamError, match="no longer valid"):
            accept(closing, made)

    def test_nobody_is_invited_to_an_account_that_is_being_closed(self) -> None:
        closing = AccountClosure(NOW_MS, NOW_MS + DAY_MS, gives_up=False)
        with pytest.raises(TeamError, match="being closed"):
            with_invitation(replace(FOUNDED, closing=closing))

    def test_only_owners_count_as_one(self) -> None:
        team = replace(self.BOTH, members=(*self.BOTH.members, Member("cy", Role.DEVELOPER, NOW_MS)))
        team.check_owner("bob")
        for other in ("cy", "eve"):
            with pytest.raises(TeamError, match="no longer an owner of this account"):
                team.check_owner(other)


class TestOwners:
    def test_the_last_one_neither_leaves_nor_is_demoted(self) -> None:
        with pytest.raises(TeamError, match="needs an owner"):
            without(FOUNDED, "ada")
        with pytest.raises(TeamError, match="needs an owner"):
            with_role(FOUNDED, "ada", Role.VIEWER)

    def test_with_another_one_they_may(self) -> None:
        team = with_role(accept(*with_invitation()), "bob", Role.OWNER)
        assert [one.identity_id for one in without(team, "ada").members] == ["bob"]
        assert with_role(team, "ada", Role.BILLING).role_of("ada") is Role.BILLING

    def test_who_is_no_member_is_not_changed(self) -> None:
        with pytest.raises(TeamError, match="This member does not exist"):
            with_role(FOUNDED, "eve", Role.OWNER)
        with pytest.raises(TeamError, match="This member does not exist"):
            without(FOUNDED, "eve")

    @given(
        st.lists(
            st.tuples(st.sampled_from(string.ascii_lowercase[:4]), st.sampled_from([*Role, None])),
            max_size=30,
        )
    )
    def test_whatever_is_done_one_is_left(self, acts: list[tuple[str, Role | None]]) -> None:
        people = tuple(Member(name, Role.OWNER, NOW_MS) for name in string.ascii_lowercase[:4])
        team = Team(ACCOUNT, people)
        for who, role in acts:
            try:
                team = without(team, who) if role is None else with_role(team, who, role)
            except TeamError:
                continue
            assert any(one.role is Role.OWNER for one in team.members)


def test_a_row_comes_back_as_it_was() -> None:
    team = replace(accept(*with_invitation()), seq=3)
    team, _ = with_invitation(team, "cy@example.com")
    assert Team.from_item(team.to_item()) == team
