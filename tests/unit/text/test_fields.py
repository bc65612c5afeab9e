"""The tables of fields, compared with the newest types of the SDKs, and the law of what is left out."""

from typing import Any

import pytest
from anthropic.types import message_create_params as messages
from anthropic.types.beta import message_create_params as beta_messages
from openai.types import EmbeddingCreateParams, completion_create_params, responses
from openai.types.chat import completion_create_params as chat

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tollgate.kit.errors import InvalidInputError
from tollgate.routing.reading import FIELDS as ROUTING
from tollgate.text.body.fields import (
    CHAT,
    COMPLETIONS,
    MESSAGES,
    RESPONSES,
    Rule,
    Table,
    refused_fields,
    unsent,
)
from tollgate.text.kinds.embeddings import FIELDS

DOCUMENTED: dict[str, tuple[Table, tuple[type, ...]]] = {
    "chat": (CHAT, (chat.CompletionCreateParamsNonStreaming, chat.CompletionCreateParamsStreaming)),
    "completions": (
        COMPLETIONS,
        (
            completion_create_params.CompletionCreateParamsNonStreaming,
            completion_create_params.CompletionCreateParamsStreaming,
        ),
    ),
    "messages": (
        MESSAGES,
        (
            messages.MessageCreateParamsNonStreaming,
            messages.MessageCreateParamsStreaming,
            beta_messages.MessageCreateParamsNonStreaming,
            beta_messages.MessageCreateParamsStreaming,
        ),
    ),
    "responses": (
        RESPONSES,
        (
            responses.response_create_params.ResponseCreateParamsNonStreaming,
            responses.response_create_params.ResponseCreateParamsStreaming,
        ),
    ),
}


def names_of(params: type) -> set[str]:
    """Return the fields of a request's type, with those that it inherits."""
    found = {name for base in params.__mro__ for name in vars(base).get("__annotations__", {})}
    # A typed dictionary has no bases at run time: its keys are these.
    return (
        found | set(getattr(params, "__required_keys__", ())) | set(getattr(params, "__optional_keys__", ()))
    )


@pytest.mark.parametrize("protocol", DOCUMENTED)
class TestTables:
    def test_every_field_of_the_sdk_has_its_row(self, protocol: str) -> None:
        table, types = DOCUMENTED[protocol]
        documented = set().union(*map(names_of, types))
        assert len(documented) > 15
        assert documented - set(table) == set()

    def test_a_row_is_marked_as_the_protocols_own_if_the_sdk_has_it(self, protocol: str) -> None:
        table, types = DOCUMENTED[protocol]
        documented = set().union(*map(names_of, types))
        assert {name for name in documented if not table[name].own} == set()

    def test_every_row_that_is_not_followed_states_the_reason(self, protocol: str) -> None:
        table, _ = DOCUMENTED[protocol]
        assert [name for name, row in table.items() if row.rule is not Rule.SENT and not row.about] == []


def test_embeddings_take_every_field_of_the_sdk() -> None:
    # An unknown field is refused by its name.
    assert names_of(EmbeddingCreateParams) == set(FIELDS)


@pytest.mark.parametrize("table", [CHAT, COMPLETIONS, MESSAGES, RESPONSES])
def test_routing_fields_are_followed_by_tollgate_in_every_protocol(table: Table) -> None:
    assert {table[name].rule for name in ROUTING} == {Rule.HANDLED}


class TestUnsent:
    def test_a_wish_that_the_provider_lacks_is_refused(self) -> None:
        with pytest.raises(InvalidInputError) as refused:
            unsent(OPENAI, {"n": 2, "logprobs": True, "seed": 1}, lambda _: False)
        assert [problem.path for problem in refused.value.problems] == ["/n", "/logprobs"]

    def test_hints_and_unknown_fields_of_a_chat_are_named(self) -> None:
        fields = {"model": "m", "n": 1, "stop": [], "seed": 1, "user": None, "foo": 1}
        left, ignored = unsent(OPENAI, fields, lambda name: name == "model")
        assert left == ["n", "stop", "seed", "user", "foo"]
        assert ignored == ["seed", "foo"]

    def test_an_unknown_field_of_messages_is_refused_as_anthropic_does(self) -> None:
        with pytest.raises(InvalidInputError, match="/foo: Extra inputs are not permitted"):
            unsent(ANTHROPIC, {"foo": 1}, lambda _: False)

    def test_true_asks_for_something_where_1_does_not(self) -> None:
        with pytest.raises(InvalidInputError):
            unsent(OPENAI, {"n": True}, lambda _: False)


class TestRefused:
    @pytest.mark.parametrize(
        "fields",
        [
            {"conversation": "conv_1"},
            {"previousResponseId": "resp_1"},
            {"web_search": {}},
            {"enableSearch": True},
        ],
    )
    def test_by_name_for_every_model(self, fields: dict[str, Any]) -> None:
        assert [problem.path for problem in refused_fields(OPENAI, fields)] == [f"/{next(iter(fields))}"]

    def test_values_that_ask_for_nothing_are_fine(self) -> None:
        assert list(refused_fields(OPENAI, {"web_search": False, "prompt": None})) == []
