import json
from typing import Any

import pytest
from hypothesis import given

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tests.unit.text.test_text_request import JSON
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.providers.text.anthropic.facts import CODE_STATUSES
from tollgate.providers.text.openai_compatible.facts import VENDORS
from tollgate.text.upstream.exchange import refusal
from tollgate.text.wire.errors import error_body, error_event, fault_body, fault_status
from tollgate.text.wire.faults import (
    STREAM_BROKEN,
    UNREADABLE,
    Fault,
    FaultError,
    Verdict,
    chat_fault,
    fault_of,
    read_fault,
    read_object,
)


def verdict(status: int) -> Verdict:
    return Fault(status, "", "", "").verdict


class TestVerdict:
    @pytest.mark.parametrize("status", [408, 424, 429, 500, 502, 503, 504, 524, 529])
    def test_busy_or_broken_goes_to_the_next_route(self, status: int) -> None:
        assert verdict(status) is Verdict.NEXT_ROUTE

    @pytest.mark.parametrize("status", [400, 405, 409, 413, 415, 422])
    def test_other_refusals_are_about_the_request(self, status: int) -> None:
        assert verdict(status) is Verdict.ABOUT_REQUEST

    @pytest.mark.parametrize("status", [404, 410])
    def test_a_model_that_is_not_sold_there_goes_to_the_next_route(self, status: int) -> None:
        fault = Fault(status, "deployment x-1 is gone", "t", "c")
        assert fault.verdict is Verdict.NOT_SOLD
        assert "x-1" not in json.dumps(fault_body(OPENAI, fault))
        assert fault_status(OPENAI, fault) == 503

    @pytest.mark.parametrize("status", [401, 402, 403])
    def test_our_own_account_is_not_the_clients_business(self, status: int) -> None:
        fault = Fault(status, "key sk-1 is wrong", "t", "c")
        assert fault.verdict is Verdict.OUR_ACCOUNT
        assert "sk-1" not in json.dumps(fault_body(OPENAI, fault))
        assert fault_status(OPENAI, fault) == 503

    def test_a_rate_limit_does_not_name_our_account(self) -> None:
        shown = fault_body(OPENAI, Fault(429, "Limit of org-1 reached", "requests", "rate_limit_exceeded"))
        assert shown["error"] == {
            "message": "The provider is busy. Try again.",
            "type": "requests",
            "code": "rate_limit_exceeded",
            "param": None,
        }


class TestReadFault:
    @pytest.mark.parametrize(
        ("vendor", "status", "body", "expected"),
        [
            ("openai", 429, {"error": {"message": "m", "type": "insufficient_quota", "code": None}}, 402),
            (
                "openai",
                429,
                {"error": {"message": "m", "type": "requests", "code": "rate_limit_exceeded"}},
                429,
            ),
            ("moonshot", 429, {"error": {"message": "m", "type": "exceeded_current_quota_error"}}, 402),
            ("zai", 429, {"error": {"code": "1113", "message": "m"}}, 402),
            ("zai", 400, {"error": {"code": "1305", "message": "m"}}, 503),
            ("deepseek", 402, {"error": {"message": "m"}}, 402),
            ("minimax", 402, {"type": "error", "error": {"type": "insufficient_balance_error"}}, 402),
        ],
    )
    def test_a_vendors_codes(self, vendor: str, status: int, body: dict[str, Any], expected: int) -> None:
        fault = read_fault(status, json.dumps(body).encode(), VENDORS[vendor].dialect.code_statuses)
        assert fault.status == expected

    def test_anthropics_spend_limit_is_our_money(self) -> None:
        details = {"error_code": "enforced_spend_limit_reached"}
        error = {"type": "rate_limit_error", "message": "m", "details": details}
        fault = read_fault(429, json.dumps({"type": "error", "error": error}).encode(), CODE_STATUSES)
        assert (fault.status, fault.code) == (402, "enforced_spend_limit_reached")

    def test_googles_list_of_one(self) -> None:
        body = [{"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}]
        assert fault_of(body, 400) == Fault(400, "bad", "INVALID_ARGUMENT", "400")

    def test_a_text_for_an_error(self) -> None:
        assert fault_of({"code": "invalid", "error": "bad"}, 422) == Fault(
            422, "bad", "provider_error", "invalid"
        )

    def test_fields_at_the_top(self) -> None:
        assert fault_of({"code": "Throttling", "message": "slow"}, 429).message == "slow"

    @pytest.mark.parametrize("body", [b"", b"<html>", b"null", b"[]", b"\xff"])
    def test_no_readable_body(self, body: bytes) -> None:
        assert read_fault(503, body) == Fault(
            503, "The provider answered with HTTP status 503.", "provider_error", "provider_error"
        )

    def test_a_status_inside_http_200(self) -> None:
        assert fault_of({"error": {"code": 429, "message": "m"}}, 200).status == 429

    def test_an_error_inside_http_200_without_one_is_a_bad_gateway(self) -> None:
        assert fault_of({"error": {"message": "m"}}, 200).status == 502

    @given(body=JSON)
    def test_any_json_gives_a_fault_of_that_status(self, body: Any) -> None:
        assert read_fault(418, json.dumps(body).encode()).status == 418


class TestReadObject:
    def test_an_object(self) -> None:
        assert read_object(b'{"id": 1}') == {"id": 1}

    @pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"text"', b"null", b"[" * 100_000])
    def test_anything_else_is_unreadable(self, body: bytes) -> None:
        with pytest.raises(FaultError) as error:
            read_object(body)
        assert error.value.fault == UNREADABLE


class TestChatFault:
    def test_a_code_inside_http_200(self) -> None:
        body = {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "no money"}}
        fault = chat_fault(body, VENDORS["minimax"].dialect.code_statuses)
        assert fault == Fault(402, "no money", "provider_error", "1008")

    def test_an_error_inside_http_200(self) -> None:
        fault = chat_fault({"error": {"message": "no money", "code": "broke"}}, {"broke": 402})
        assert fault == Fault(402, "no money", "provider_error", "broke")

    def test_an_error_of_an_unknown_code_inside_http_200_is_a_bad_gateway(self) -> None:
        fault = chat_fault({"error": "It broke."}, {})
        assert fault == Fault(502, "It broke.", "provider_error", "provider_error")

    def test_no_fault(self) -> None:
        assert chat_fault({"error": None, "base_resp": {"status_code": 0}}, {}) is None


class TestErrorBody:
    def test_chat(self) -> None:
        assert error_body(OPENAI, InvalidInputError([Problem("/n", "Bad.")])) == {
            "code": 400,
            "error": {
                "message": "/n: Bad.",
                "type": "BadRequest",
                "code": "invalid_input",
                "param": "n",
                "details": [{"path": "/n", "message": "Bad."}],
            },
        }

    def test_messages(self) -> None:
        body = error_body(ANTHROPIC, InsufficientBalanceError(3, 10))
        assert (body["type"], body["code"]) == ("error", 402)
        assert body["error"]["type"] == "billing_error"
        assert body["error"]["code"] == "insufficient_balance"
        assert body["error"]["shortfallCents"] == 7

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            *((400, "invalid_request_error"), (401, "authentication_error"), (403, "permission_error")),
            *((404, "not_found_error"), (413, "request_too_large"), (422, "invalid_request_error")),
            *((429, "rate_limit_error"), (500, "api_error"), (502, "api_error"), (503, "overloaded_error")),
            *((524, "timeout_error"), (529, "overloaded_error")),
        ],
    )
    def test_anthropics_types_by_status(self, status: int, kind: str) -> None:
        shown = fault_body(ANTHROPIC, Fault(status, "m", "t", "c"))["error"]["type"]
        assert shown == ("overloaded_error" if status in (401, 403, 404) else kind)


class TestErrorEvent:
    def test_chat(self) -> None:
        assert error_event(OPENAI, STREAM_BROKEN, "req_1") == (
            b'data: {"code":502,"error":{"message":"The provider\'s response broke off.",'
            b'"type":"BadGateway","code":"provider_error","param":null,"requestId":"req_1"}}\n\n'
        )

    def test_messages(self) -> None:
        event = error_event(ANTHROPIC, STREAM_BROKEN, "req_1")
        assert event.startswith(b'event: error\ndata: {"type":"error","code":502,')


class TestRefusal:
    def test_the_clients_own_protocol_is_passed_on_as_it_came(self) -> None:
        body = b'{ "error": {"message": "bad", "type": "t", "param": "x", "code": null} }'
        assert refusal(OPENAI, OPENAI, body, Fault(400, "bad", "t", "c")) == (400, json.loads(body))

    def test_whose_account_it_is_and_which_host_refused_is_left_out(self) -> None:
        error = {"message": "bad", "code": 400, "metadata": {"provider_name": "Host", "raw": "no"}}
        body = json.dumps({"error": error, "user_id": "user_1"}).encode()
        status, shown = refusal(OPENAI, OPENAI, body, Fault(400, "bad", "t", "c"))
        named = {"message": "bad", "type": "invalid_request_error", "param": None, "code": "400"}
        assert (status, shown) == (400, {"error": named})

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            (
                "No endpoints found that support tool use. To learn more about provider routing, visit: "
                "https://openrouter.ai/docs/provider-routing",
                "No endpoints found that support tool use.",
            ),
            ("DeepInfra: the context is too long", "The provider refused the request."),
            ("Fireworks AI cannot read it. Send less. See https://docs.fireworks.ai", "Send less."),
            ("Could not fetch https://a.test/b.png. Use fireworks.", None),
            ("Unsupported value: 'max_tokens'.  Use 'max_completion_tokens'.", None),
        ],
    )
    @pytest.mark.parametrize("spoken", [OPENAI, ANTHROPIC])
    def test_sentences_that_name_a_host_are_left_out(self, said: str, shown: str | None, spoken: Any) -> None:
        body = json.dumps({"error": {"message": said, "type": "t", "code": None, "param": None}}).encode()
        status, answer = refusal(OPENAI, spoken, body, Fault(400, said, "t", "c"))
        assert (status, answer["error"]["message"]) == (400, shown or said)
        if shown is None and spoken is OPENAI:
            assert answer == json.loads(body)

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            (
                "Unsupported parameter: 'stop' is not supported with this model.",
                "Unsupported parameter: 'stop_sequences' is not supported with this model.",
            ),
            (
                "Unsupported value: 'reasoning_effort' does not support 'stop it'.",
                "Unsupported value: 'output_config.effort' does not support 'stop it'.",
            ),
            ("Invalid type for 'reasoning.effort'.", "Invalid type for 'output_config.effort'."),
            ("Please stop.", "Please stop."),
        ],
    )
    def test_a_messages_client_reads_the_names_of_its_own_fields(self, said: str, shown: str) -> None:
        _, body = refusal(ANTHROPIC, OPENAI, b"{}", Fault(400, said, "t", "c"))
        assert body["error"]["message"] == shown
        _, body = refusal(OPENAI, OPENAI, b"{}", Fault(400, said, "t", "c"))
        assert body["error"]["message"] == said

    def test_another_shape_is_said_again(self) -> None:
        status, body = refusal(OPENAI, OPENAI, b'[{"error":{}}]', Fault(400, "bad", "t", "c"))
        assert (status, body["error"]["message"]) == (400, "bad")

    @pytest.mark.parametrize(("client", "theirs", "own"), [(OPENAI, 529, 503), (ANTHROPIC, 503, 529)])
    def test_an_overload_in_the_other_protocol(self, client: Any, theirs: int, own: int) -> None:
        other = ANTHROPIC if client is OPENAI else OPENAI
        assert refusal(client, other, b"{}", Fault(theirs, "m", "t", "c"))[0] == own


def test_the_text_of_a_detail_is_the_message() -> None:
    assert fault_of({"detail": "No such model"}, 404).message == "No such model"


@pytest.mark.parametrize(("code", "status"), [(429, 429), ("429", 502), (1008, 502), (None, 502)])
def test_only_a_number_that_is_an_error_status_is_the_status_inside_200(code: object, status: int) -> None:
    assert fault_of({"error": {"message": "no", "code": code}}, 200).status == status
