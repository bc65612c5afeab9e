"""The types of fields, in one table of cases from the types of both vendors' SDKs."""

import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Required, Union, get_args, get_origin

import pytest
from anthropic.types.beta import (
    BetaContentBlockParam,
    BetaContentBlockSourceParam,
    BetaJSONOutputFormatParam,
    BetaOutputConfigParam,
    BetaPlainTextSourceParam,
    BetaThinkingConfigParam,
    BetaToolChoiceParam,
    BetaURLPDFSourceParam,
)
from openai.types import ReasoningEffort
from openai.types.chat import (
    ChatCompletionContentPartParam,
    ChatCompletionMessageParam,
    ChatCompletionNamedToolChoiceCustomParam,
    ChatCompletionNamedToolChoiceParam,
    ChatCompletionToolUnionParam,
)
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses import ResponseInputContentParam, ResponseInputItemParam
from typing_extensions import get_type_hints, is_typeddict

from tollgate.kit.problems import Problem
from tollgate.text.body import body_shapes
from tollgate.text.body.body_shapes import ANYTHING, MAX_PROBLEMS, response_problems, shape_problems
from tollgate.text.models import TextProtocol

WRONG = 7.5


class Place(NamedTuple):
    """A place for objects: its pointer, and the problems of a body that has an object there."""

    path: str
    problems: Any


def chat(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.OPENAI, {"messages": [{"role": "user", "content": [value]}]})


def turn(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.OPENAI, {"messages": [value]})


def block(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.ANTHROPIC, {"messages": [{"role": "user", "content": [value]}]})


def in_result(value: Any) -> list[Problem]:
    return block({"type": "tool_result", "tool_use_id": "t", "content": [value]})


def source(value: Any) -> list[Problem]:
    return block({"type": "document", "source": value})


def part(value: Any) -> list[Problem]:
    return response_problems({"input": [{"role": "user", "content": [value]}]})


def item(value: Any) -> list[Problem]:
    return response_problems({"input": [value]})


def tool(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.OPENAI, {"tools": [value]})


def chosen(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.OPENAI, {"tool_choice": value})


def choice(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.ANTHROPIC, {"tool_choice": value})


def thinking(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.ANTHROPIC, {"thinking": value})


def output_format(value: Any) -> list[Problem]:
    return shape_problems(TextProtocol.ANTHROPIC, {"output_config": {"format": value}})


PART = "/messages/0/content/0"
PLACES: list[tuple[Place, Any]] = [
    (Place(PART, chat), ChatCompletionContentPartParam),
    (Place("/messages/0", turn), ChatCompletionMessageParam),
    (Place(PART, block), BetaContentBlockParam),
    (Place(f"{PART}/content/0", in_result), BetaContentBlockParam),
    *[
        (Place(f"{PART}/source", source), one)
        for one in (BetaURLPDFSourceParam, BetaPlainTextSourceParam, BetaContentBlockSourceParam)
    ],
    (Place("/tools/0", tool), ChatCompletionToolUnionParam),
    *[
        (Place("/tool_choice", chosen), one)
        for one in (ChatCompletionNamedToolChoiceParam, ChatCompletionNamedToolChoiceCustomParam)
    ],
    (Place("/tool_choice", choice), BetaToolChoiceParam),
    (Place("/thinking", thinking), BetaThinkingConfigParam),
    (Place("/output_config/format", output_format), BetaJSONOutputFormatParam),
    (Place("/input/0/content/0", part), ResponseInputContentParam),
    (Place("/input/0", item), ResponseInputItemParam),
]
# Fields that no provider gets as they are, or that only one vendor reads and checks.
UNCHECKED = {
    *("prompt_cache_breakpoint", "caller", "async", "phase", "status", "id", "audio", "action", "actions"),
    *("pending_safety_checks", "server_name", "from", "to", "trigger", "mcp_server_name"),
}


# The SDKs require them, and a request without them means the same.
OPTIONAL = {
    *(("thinking", "signature"), ("input_image", "detail"), ("reasoning", "summary")),
    ("function", "content"),
    *(("tool_search_output", "tools"), ("additional_tools", "tools"), ("additional_tools", "role")),
}


def plain(hint: Any) -> list[Any]:
    """Return the types that a hint permits, without those around them."""
    origin = get_origin(hint)
    if origin in (Required, NotRequired, Annotated):
        return plain(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        return [one for each in get_args(hint) for one in plain(each)]
    return [hint]


def sample(hint: Any) -> Any:
    """Return a value of a type: the least that it takes."""
    first = plain(hint)[0]
    if is_typeddict(first):
        return least(first)
    if get_origin(first) is Literal:
        return get_args(first)[0]
    simple = {str: "x", bool: True, int: 1, float: 1.0, object: {}}
    if first in simple:
        return simple[first]
    return {} if get_origin(first) is dict else []


def hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


def is_needed(hint: Any) -> bool:
    return get_origin(hint) is Required


def least(kind: Any) -> dict[str, Any]:
    return {name: sample(hint) for name, hint in hints(kind).items() if is_needed(hint)}


def kinds(union: Any, place: Place) -> Iterator[Any]:
    """Yield the objects of a place that Tollgate takes there."""
    for kind in plain(union):
        if not is_typeddict(kind) or place.problems(least(kind)):
            continue
        # The others are refused or passed on by their types (`responses/items.py`, Anthropic).
        known = body_shapes.ITEMS if place.problems is item else body_shapes.BLOCKS
        check = known.get(str(least(kind).get("type")), ANYTHING)
        if place.problems not in (item, block) or check is not ANYTHING:
            yield kind


def cases() -> Iterator[tuple[Place, dict[str, Any], str]]:
    """Yield malformed objects, each with the field that is wrong."""
    for place, union in PLACES:
        for kind in kinds(union, place):
            whole = least(kind)
            for name, hint in hints(kind).items():
                if name in UNCHECKED or object in plain(hint):
                    continue
                yield place, {**whole, name: WRONG}, name
                of_kind = whole.get("type", whole.get("role"))
                if is_needed(hint) and name != "type" and (of_kind, name) not in OPTIONAL:
                    yield place, {at: value for at, value in whole.items() if at != name}, name


CASES = list(cases())


def test_the_cases_are_many() -> None:
    assert len(CASES) > 200
    assert {place.problems for place, _, _ in CASES} == {place.problems for place, _ in PLACES}


@pytest.mark.parametrize(
    ("place", "value", "name"),
    CASES,
    ids=[
        f"{place.problems.__name__}-{value.get('type')}-{name}-{name in value}"
        for place, value, name in CASES
    ],
)
def test_a_malformed_object_is_refused_by_its_field(place: Place, value: Any, name: str) -> None:
    assert [one.path for one in place.problems(value)] == [f"{place.path}/{name}"]


# Fields of bodies, and values that they do not take.
OF_BODIES: list[tuple[str, Any, str]] = [
    ("chat", {"stop": 7}, "/stop"),
    ("chat", {"stop": [7]}, "/stop/0"),
    ("chat", {"reasoning_effort": []}, "/reasoning_effort"),
    ("chat", {"response_format": {"type": "poem"}}, "/response_format/type"),
    ("chat", {"response_format": {"type": "json_schema"}}, "/response_format/json_schema"),
    ("chat", {"tools": [{"type": "function", "function": {"name": ""}}]}, "/tools/0/function/name"),
    ("chat", {"tool_choice": {"type": []}}, "/tool_choice/type"),
    ("chat", {"messages": [{"role": "poet", "content": "hi"}]}, "/messages/0/role"),
    ("chat", {"messages": [{"role": "assistant", "tool_calls": [5]}]}, "/messages/0/tool_calls/0"),
    ("chat", {"seed": "x"}, "/seed"),
    ("chat", {"seed": True}, "/seed"),
    ("chat", {"logit_bias": 5}, "/logit_bias"),
    ("chat", {"logit_bias": {"50256": "x"}}, "/logit_bias/50256"),
    ("chat", {"metadata": 5}, "/metadata"),
    ("chat", {"metadata": {"a/b": 5}}, "/metadata/a~1b"),
    ("chat", {"logit_bias": {"50256": 101}}, "/logit_bias/50256"),
    ("chat", {"reasoning_effort": "huge"}, "/reasoning_effort"),
    ("chat", {"verbosity": "loud"}, "/verbosity"),
    ("chat", {"tools": [{"type": "function"}]}, "/tools/0/function"),
    ("chat", {"tools": [{"function": {"name": "f"}}]}, "/tools/0/type"),
    ("chat", {"tool_choice": {"type": "function", "name": "f"}}, "/tool_choice/function"),
    ("messages", {"thinking": {"type": "hard"}}, "/thinking/type"),
    ("messages", {"thinking": {"type": "enabled"}}, "/thinking/budget_tokens"),
    ("messages", {"tool_choice": {"type": "required"}}, "/tool_choice/type"),
    ("messages", {"tool_choice": {"type": "tool"}}, "/tool_choice/name"),
    ("messages", {"output_config": {"effort": "minimal"}}, "/output_config/effort"),
    ("messages", {"output_config": {"format": {"type": "json_object"}}}, "/output_config/format/type"),
    ("messages", {"output_config": {"format": {"type": "json_schema"}}}, "/output_config/format/schema"),
    ("messages", {"temperature": "x"}, "/temperature"),
    ("messages", {"system": [{"type": "text", "text": 5}]}, "/system/0/text"),
    ("messages", {"thinking": {"type": "enabled", "budget_tokens": "x"}}, "/thinking/budget_tokens"),
    ("messages", {"tools": [{"name": "a", "input_schema": 5}]}, "/tools/0/input_schema"),
    ("messages", {"metadata": {"user_id": 5}}, "/metadata/user_id"),
    ("messages", {"output_config": {"format": {"type": []}}}, "/output_config/format/type"),
    ("messages", {"stop_sequences": 5}, "/stop_sequences"),
    ("messages", {"cache_control": {"type": "forever"}}, "/cache_control/type"),
    ("responses", {"temperature": 2.1}, "/temperature"),
    ("responses", {"temperature": "1"}, "/temperature"),
    ("responses", {"top_p": -0.1}, "/top_p"),
    ("responses", {"include": 5}, "/include"),
    ("responses", {"metadata": {"a": 5}}, "/metadata/a"),
    ("responses", {"tool_choice": {"type": []}}, "/tool_choice/type"),
    ("responses", {"tools": [{"type": "function", "name": "a", "parameters": 5}]}, "/tools/0/parameters"),
    ("responses", {"truncation": []}, "/truncation"),
    ("responses", {"input": [{"type": [], "role": "user", "content": "a"}]}, "/input/0/type"),
]
CHECKS = {
    "chat": lambda body: shape_problems(TextProtocol.OPENAI, body),
    "messages": lambda body: shape_problems(TextProtocol.ANTHROPIC, body),
    "responses": response_problems,
}


@pytest.mark.parametrize(("protocol", "body", "path"), OF_BODIES, ids=lambda value: str(value)[:40])
def test_a_malformed_field_of_a_body_is_refused(protocol: str, body: Any, path: str) -> None:
    assert [one.path for one in CHECKS[protocol](body)] == [path]


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("temperature", 0, 2), ("top_p", 0, 1), ("presence_penalty", -2, 2), ("frequency_penalty", -2, 2)],
)
def test_a_number_outside_of_the_bounds_that_openai_documents_is_refused_with_them(
    name: str, least: int, most: int
) -> None:
    assert [CHECKS["chat"]({name: value}) for value in (least, most, most - 0.5)] == [[], [], []]
    for value in (least - 0.1, most + 0.1):
        (problem,) = CHECKS["chat"]({name: value})
        message = f"Must be a number, {least} to {most}."
        assert problem == Problem(f"/{name}", message, f"{least} to {most}")
    assert [one.path for one in CHECKS["chat"]({name: True})] == [f"/{name}"]


@pytest.mark.parametrize(
    ("hint", "body_of", "protocol"),
    [
        (ReasoningEffort, lambda value: {"reasoning_effort": value}, "chat"),
        (
            get_type_hints(CompletionCreateParamsBase)["verbosity"],
            lambda value: {"verbosity": value},
            "chat",
        ),
        (
            get_type_hints(BetaOutputConfigParam)["effort"],
            lambda value: {"output_config": {"effort": value}},
            "messages",
        ),
    ],
)
def test_every_value_of_the_sdk_is_accepted(hint: Any, body_of: Any, protocol: str) -> None:
    values = [one for each in plain(hint) for one in get_args(each)]
    assert len(values) > 2
    assert [CHECKS[protocol](body_of(value)) for value in values] == [[] for _ in values]


def test_a_field_that_must_be_one_of_few_is_refused_with_all_of_them() -> None:
    (problem,) = CHECKS["messages"]({"thinking": {"type": "hard"}})
    assert problem.message == "Must be one of: enabled, adaptive, disabled, between_tools."


def test_only_the_first_problems_are_told() -> None:
    assert len(shape_problems(TextProtocol.OPENAI, {"stop": [0] * 1_000})) == MAX_PROBLEMS
