"""Rules between the fields of an input. A rule is named after its purpose.

A rule runs as soon as the fields it needs are valid, so its problem is reported together with the problems of
other fields. If JSON Schema can express the rule, the rule includes that `schema`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.problems import Problem, pointer_step

ROOT = "input"
# Most characters of a customer's own field name that an error repeats.
MAX_POINTER_CHARS = 64

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """An input that its model accepts.

    `values` is plain JSON: normalised, with defaults, without deprecated fields. `given` names the fields
    the customer set; an empty array and a blank string count as left out, and are in neither.
    """

    values: dict[str, Any]
    given: frozenset[str]


RuleCheck = Callable[[CheckedInput], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Choosing:
    """A rule's effect on fields beside a `chooser`: the values with which a field may, and must, be sent.

    A field that is not in `allowed` may be sent with every value.
    """

    chooser: str
    allowed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    needed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A check across fields: `name` is its purpose, `needs` the fields that it reads.

    `choosing` defines which fields a form shows for each choice.
    """

    name: str
    needs: frozenset[str]
    check: RuleCheck
    schema: Schema | None = None
    choosing: Choosing | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A job among several that a field chooses between, e.g. action `crop`.

    `chosen` has the values of the field that mean this job. The job needs all fields of `needs`, and at least
    one field of `one_of` if there are any. A case without needs is invalid.
    """

    chosen: tuple[Any, ...]
    needs: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


def rule(*needs: str, schema: Schema | None = None) -> Callable[[RuleCheck], Rule]:
    """Make a function that yields problems into a `Rule` over the fields it `needs`."""

    def make(check: RuleCheck) -> Rule:
        return Rule(check.__name__, frozenset(needs), check, schema)

    return make


def required_unless(field: str, *others: str) -> Rule:
    """Require `field` unless at least one field of `others` is given."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        if checked.given.isdisjoint((field, *others)):
            yield Problem(at(field), f"Required unless {_or(others)} is given.")

    schema = {"anyOf": [given(name) for name in (field, *others)]}
    return Rule(f"{field}_required_unless_{'_or_'.join(others)}", frozenset((field, *others)), check, schema)


def not_together(field: str, *others: str) -> Rule:
    """Refuse `field` beside any of `others`."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        if field not in checked.given:
            return
        for other in others:
            if other in checked.given:
                yield Problem(at(field), f"Cannot be combined with {other}.")

    schema = {"if": given(field), "then": {"not": {"anyOf": [given(other) for other in others]}}}
    return Rule(f"{field}_not_with_{'_or_'.join(others)}", frozenset((field, *others)), check, schema)


def only_together(*fields: str) -> Rule:
    """Refuse some of `fields` without the rest."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        missing = [name for name in fields if name not in checked.given]
        if len(missing) < len(fields):
            for name in missing:
                yield Problem(at(name), f"Required together with {_and(fields, name)}.")

    every = {"allOf": [given(name) for name in fields]}
    schema = {"if": {"anyOf": [given(name) for name in fields]}, "then": every}
    return Rule(f"{'_and_'.join(fields)}_only_together", frozenset(fields), check, schema)


def needs_one_of(field: str, *others: str) -> Rule:
    """Refuse `field` without any of `others`."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        if field in checked.given and checked.given.isdisjoint(others):
            yield Problem(at(field), f"Needs {_or(others)}.")

    schema = {"if": given(field), "then": {"anyOf": [given(other) for other in others]}}
    return Rule(f"{field}_needs_{'_or_'.join(others)}", frozenset((field, *others)), check, schema)


def at_most_where(field: str, value: str, many: str, most: int) -> Rule:
    """Refuse more than `most` items of `many` where `field` is `value`."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        count = len(items(checked, many))
        if checked.values.get(field) == value and count > most:
            yield Problem(at(many), f"With {field} {value} at most {most}, has {count}.")

    schema = {
        "if": {"required": [field], "properties": {field: {"const": value}}},
        "then": {"properties": {many: {"maxItems": most}}},
    }
    return Rule(f"at_most_{most}_{many}_where_{field}_is_{value}", frozenset((field, many)), check, schema)


def one_is_given(*fields: str) -> Rule:
    """Require at least one of these `fields`."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        if checked.given.isdisjoint(fields):
            yield Problem(at(), f"Needs {_or(fields)}.", list(fields))

    schema = {"anyOf": [given(name) for name in fields]}
    return Rule(f"one_of_{'_or_'.join(fields)}_is_given", frozenset(fields), check, schema)


def at_most_one_of(*groups: tuple[str, ...]) -> Rule:
    """Refuse fields of more than one group, because each group requests another job."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        named = [name for group in groups for name in group if name in checked.given]
        group_of = {name: group for group in groups for name in group}
        for name in named:
            if group_of[name] is not group_of[named[0]]:
                yield Problem(
                    at(name), f"Cannot be combined with {named[0]}, because they are different jobs."
                )

    everything = frozenset(name for group in groups for name in group)
    pairs = [
        {"not": {"allOf": [_any_given(one), _any_given(other)]}}
        for index, one in enumerate(groups)
        for other in groups[index + 1 :]
    ]
    return Rule("one_job_at_a_time", everything, check, {"allOf": pairs})


def only_when(field: str, chooser: str, values: tuple[Any, ...]) -> Rule:
    """Refuse `field` unless `chooser` has a value of `values`."""

    def check(checked: CheckedInput) -> Iterator[Problem]:
        # `values` has the chooser's default if the customer omitted it; `given` has only the fields sent.
        if field in checked.given and checked.values.get(chooser) not in values:
            yield Problem(at(field), f"Only with {chooser} {_or(values)}.")

    schema = {"if": given(field), "then": _chosen(chooser, values, None)}
    choosing = Choosing(chooser, allowed={field: values})
    return Rule(f"{field}_only_with_its_{chooser}", frozenset((field, chooser)), check, schema, choosing)


def has_required_source(chooser: str, cases: tuple[Case, ...], default: Any = None) -> Rule:
    """Require, for the value of `chooser` (`default` if it is omitted), the fields of its case."""
    by_value = {value: case for case in cases for value in case.chosen}

    def check(checked: CheckedInput) -> Iterator[Problem]:
        chosen = checked.values.get(chooser)
        case = by_value.get(chosen, Case(()))
        for name in case.needs:
            if name not in checked.given:
                yield Problem(at(name), f"Required for {chooser} {chosen}.")
        if case.one_of and checked.given.isdisjoint(case.one_of):
            yield Problem(at(case.one_of[0]), f"For {chooser} {chosen}, {_or(case.one_of)} is required.")

    fields = {name for case in cases for name in (*case.needs, *case.one_of)}
    schema = {"allOf": [_case_schema(chooser, case, default) for case in cases]}
    needed = {
        name: tuple(value for case in cases if name in case.needs for value in case.chosen) for name in fields
    }
    choosing = Choosing(chooser, needed=needed)
    return Rule(f"{chooser}_has_what_it_works_on", frozenset((chooser, *fields)), check, schema, choosing)


def only_usable_fields(
    chooser: str, fields_of_job: Mapping[Any, Collection[str]], redundant_values: Mapping[str, Any]
) -> Rule:
    """Refuse a field that the job `chooser` names cannot carry: it would be charged, and no route take it.

    `fields_of_job` has the fields of each job. A field with its value of `redundant_values`, its default, may
    stand anywhere.
    """
    ruled = {name for fields in fields_of_job.values() for name in fields}

    def check(checked: CheckedInput) -> Iterator[Problem]:
        chosen = checked.values[chooser]
        for name in sorted((checked.given & ruled) - set(fields_of_job[chosen])):
            # This value of the field requests nothing, so no uncarried work is charged.
            if name not in redundant_values or checked.values.get(name) != redundant_values[name]:
                yield Problem(at(name), f"{chooser.capitalize()} {chosen} cannot use it.")

    allowed = {
        name: tuple(value for value, names in fields_of_job.items() if name in names) for name in ruled
    }
    choosing = Choosing(chooser, allowed=allowed)
    return Rule(f"{chooser}_is_told_what_it_can_use", frozenset({chooser}), check, choosing=choosing)


def given(field: str) -> Schema:
    """Return JSON Schema's words for a field that the customer set: neither an empty array nor blank."""
    # `minItems` applies only to arrays and `pattern` only to texts, so one schema serves both kinds of field.
    return {"required": [field], "properties": {field: {"minItems": 1, "pattern": r"\S"}}}


def at(*steps: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of a field of the input, from the body's root."""
    return "".join(f"/{_pointer_step(step)}" for step in (ROOT, *steps))


def printable(name: str) -> str:
    """Return a customer's own name in a form that a response can contain: valid Unicode, not too long."""
    return name[:MAX_POINTER_CHARS].encode("utf-8", "replace").decode()


def items(checked: CheckedInput, field: str) -> list[Any]:
    """Return the items of an array field; none if it is omitted."""
    found: list[Any] = checked.values.get(field, [])
    return found


def _case_schema(chooser: str, case: Case, default: Any) -> Schema:
    needed = [given(name) for name in case.needs]
    one_of = [_any_given(case.one_of)] if case.one_of else []
    return {"if": _chosen(chooser, case.chosen, default), "then": {"allOf": [*needed, *one_of]}}


def _chosen(chooser: str, values: tuple[Any, ...], default: Any) -> Schema:
    """Return the schema that `chooser` has a value of `values`; an omitted chooser has its default."""
    # JSON Schema fills in no defaults, so an omitted chooser must match if its default would.
    required = [] if default in values else [chooser]
    return {"required": required, "properties": {chooser: {"enum": list(values)}}}


def _any_given(fields: tuple[str, ...]) -> Schema:
    return {"anyOf": [given(name) for name in fields]}


def _pointer_step(step: str | int) -> str:
    return pointer_step(printable(str(step)))


def _or(names: tuple[Any, ...]) -> str:
    return " or ".join(map(str, names))


def _and(names: tuple[str, ...], left_out: str) -> str:
    return " and ".join(name for name in names if name != left_out)
