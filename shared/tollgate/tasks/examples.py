"""Public examples of models: shared results of an account of the operator (`tollgate examples make`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.tasks.models import Task
from tollgate.tasks.repository import ExampleRepository
from tollgate.tasks.sharing import TaskSharing, share_id_of

# The most examples of a model.
MAX_EXAMPLES = 8


@dataclass(frozen=True, slots=True)
class Examples:
    """Publishes and shows examples. An example that is no longer shared is not shown."""

    rows: ExampleRepository
    sharing: TaskSharing

    def of(self, model_id: str) -> list[Task]:
        """Return the tasks of a model's examples, the newest first."""
        return self.sharing.several(self.rows.get(model_id))

    def first_of(self, groups: Mapping[str, Sequence[str]]) -> dict[str, Task]:
        """Return the newest example of the first model of each group that has one, by the group's name."""
        known = self.rows.all()
        newest = {
            name: next((known[model_id][0] for model_id in model_ids if known.get(model_id)), None)
            for name, model_ids in groups.items()
        }
        shared = self.sharing.several([one for one in newest.values() if one is not None])
        found = {share_id_of(task): task for task in shared}
        return {name: found[one] for name, one in newest.items() if one in found}

    def counts(self) -> dict[str, int]:
        """Return the number of published examples of each model that has any."""
        return {model_id: len(found) for model_id, found in self.rows.all().items() if found}

    def add(self, model_id: str, share_id: str) -> None:
        """Publish a shared result as the newest example. A repeat changes nothing."""
        known = self.rows.get(model_id)
        if share_id not in known:
            self.rows.put(model_id, (share_id, *known)[:MAX_EXAMPLES])

    def clear(self, model_id: str) -> None:
        """Remove the examples of a model from the pages, if it has any. Their links stay."""
        if model_id in self.counts():
            self.rows.put(model_id, ())
