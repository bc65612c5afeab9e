"""Who of an account is to be told something by mail."""

from dataclasses import dataclass

from tollgate.members.repository import IdentityRepository, TeamRepository


@dataclass(frozen=True, slots=True)
class Recipients:
    """Finds the proven addresses of members."""

    teams: TeamRepository
    people: IdentityRepository

    def of_money(self, account_id: str) -> list[str]:
        """Return the addresses of those who want mails about a low balance and top-ups."""
        wanting = [one.identity_id for one in self.teams.get(account_id).members if one.wants_money_mails]
        found = self.people.addresses(wanting) if wanting else {}
        return [found[each] for each in wanting if each in found]
