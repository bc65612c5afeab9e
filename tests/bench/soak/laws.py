"""What the books say when all is over: the same laws as after chaos."""

from collections import defaultdict
from collections.abc import Iterable

from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import run_task as run_task_parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.tasks.models import TaskStatus


def are_settled(accounts: Iterable[OpenedAccount]) -> bool:
    """Return whether no task is open and no hold is."""
    shown = [api_parts.api().accounts.me(one.account_id) for one in accounts]
    return all((one.open_tasks, one.holds) == (0, ()) for one in shown)


def broken(accounts: Iterable[OpenedAccount], credit_cents: int) -> list[str]:
    """Return what is wrong with the books of accounts that began with `credit_cents`."""
    audit = check_ledger_parts.ledger_audit()
    run = audit.begin()
    found = [f"{run.drifts} accounts drift"] if run.drifts else []
    found += [f"{run.unproven} accounts could not be proven"] if run.unproven else []
    for account in accounts:
        found += _broken(account.account_id, micro_usd_of_cents(credit_cents))
    return found


def _broken(account_id: str, credit_micro_usd: int) -> list[str]:
    ledger, tasks = run_task_parts.step_runner().ledger, run_task_parts.step_runner().tasks
    shown = api_parts.api().accounts.me(account_id)
    by_task: dict[str, list[int]] = defaultdict(list)
    total = 0
    for entry in ledger.entries(account_id):
        total += entry.amount_micro_usd
        if entry.task_id is not None:
            by_task[entry.task_id].append(entry.amount_micro_usd)
    found = []
    if total != shown.balance_micro_usd or not 0 <= total <= credit_micro_usd:
        found.append(f"{account_id}: the ledger has {total}, the balance is {shown.balance_micro_usd}")
    for task_id, amounts in by_task.items():
        task = tasks.get(task_id)
        if task is None or not task.ended:
            found.append(f"{task_id} did not end")
            continue
        kept = task.status is TaskStatus.FINISHED
        cost = task.charge_micro_usd
        if amounts != ([-cost] if kept else [-cost, cost]):
            found.append(f"{task_id} is {task.status} and cost {amounts}")
    return found
