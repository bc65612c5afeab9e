"""The members of an account who receive a mail."""

from dataclasses import dataclass

from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.members.topics import Topic


@dataclass(frozen=True, slots=True)
class Recipients:
    """Finds the proven addresses of members."""

    teams: TeamRepository
    people: IdentityRepository

    def of(self, account_id: str, topic: Topic) -> dict[str, str]:
        """Return the addresses of members who want mails of a topic, by their identity ids."""
        wanting = [one.identity_id for one in self.teams.get(account_id).members if one.wants(topic)]
        found = self.people.addresses(wanting) if wanting else {}
        return {each: found[each] for each in wanting if each in found}

    def of_money(self, account_id: str) -> list[str]:
        """Return the addresses of members who want mails about a low balance and top-ups."""
        return list(self.of(account_id, Topic.MONEY).values())
