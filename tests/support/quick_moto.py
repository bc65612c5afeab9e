"""What moto works out or copies anew for each answer though it need not: half of its time.

And two things that moto lacks. A transaction that comes again under its token is done once:
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
And a reserved word as a name is refused in every expression, where moto refuses it only in updates:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
"""

import copy
import pickle
import re
from collections import deque
from functools import cache
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from botocore import endpoint
from botocore.auth import SigV4Auth
from botocore.regions import EndpointRulesetResolver
from botocore.useragent import UserAgentString
from moto.core import models as mocks
from moto.core import responses
from moto.core.base_backend import BaseBackend
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.serialize import AttributePickerContext, JSONSerializer, XFormedAttributePicker
from moto.core.utils import method_names_from_class
from moto.dynamodb import models
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing.ast_nodes import DepthFirstTraverser  # type: ignore[attr-defined]
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler

_possible_keys = XFormedAttributePicker.get_possible_keys
_known: dict[tuple[type, str, int], tuple[tuple[str, ...], Any]] = {}
_transact = DynamoDBBackend.transact_write_items
_answer_transaction = DynamoHandler.transact_write_items
_call = DynamoHandler.call_action
_process_request = BotocoreStubber.process_request
_add_auth = SigV4Auth.add_auth
_construct_endpoint = EndpointRulesetResolver.construct_endpoint
_lex = ConditionExpressionParser._lex_condition_expression
_words: dict[str | None, tuple[Any, ...]] = {}
_serialize_structure = JSONSerializer._serialize_type_structure
# A name in an expression: no placeholder, and no part of a path after its first.
_NAME = re.compile(r"(?<![\w:#.])[A-Za-z_]\w*(?!\w|\s*\()")
_OPERATORS = {"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "ADD", "REMOVE", "DELETE"}
_RESERVED = frozenset(ReservedKeywords.get_reserved_keywords()) - _OPERATORS
_PLAIN = {"S", "N", "BOOL", "NULL"}
# By the beginning of the target that a request names.
_HANDLERS = {b"DynamoDB": DynamoHandler, b"DynamoDBStreams": DynamoDBStreamsHandler}
_REQUEST_ID = "0" * 52
_urls_of: Any = BaseBackend.urls.fget  # type: ignore[attr-defined]
_urls: dict[type, Any] = {}
_endpoints: WeakKeyDictionary[EndpointRulesetResolver, Any] = WeakKeyDictionary()
# By token. Tokens are random, so those of earlier tests are in nobody's way.
_transactions: dict[str, Any] = {}


def install() -> None:
    """Let moto remember which methods a service has and the names that a member of an answer may have.

    A transaction of it copies the rows that it may put back, not the tables with all that their streams told.
    """
    # Mocks of the package `requests`, which nobody here uses: a thousand objects for each test.
    mocks.RESPONSES_METHODS.clear()
    responses.method_names_from_class = cache(method_names_from_class)  # type: ignore[attr-defined]
    XFormedAttributePicker.get_possible_keys = _remembered_keys  # type: ignore[assignment,method-assign]
    models.copy = SimpleNamespace(deepcopy=_copied)  # type: ignore[attr-defined,assignment]
    DynamoDBBackend.transact_write_items = _transact_write_items  # type: ignore[assignment,method-assign]
    DynamoHandler.transact_write_items = _transact_once  # type: ignore[assignment,method-assign]
    DynamoHandler.call_action = _call_without_reserved_words  # type: ignore[method-assign]
    DepthFirstTraverser.nodes_to_be_processed = _remembered_nodes
    JSONSerializer._serialize_type_structure = _serialize_quickly  # type: ignore[assignment,method-assign]
    BotocoreStubber.process_request = _process_quickly  # type: ignore[assignment,method-assign]
    # Drawn letter by letter, and read by nobody.
    responses.gen_amzn_requestid_long = _same_request_id  # type: ignore[attr-defined]
    endpoint.uuid = SimpleNamespace(uuid4=lambda: _REQUEST_ID)  # type: ignore[attr-defined]
    # The same expressions come again and again. What reads one of an update works on a copy.
    UpdateExpressionParser.make = cache(UpdateExpressionParser.make)
    ConditionExpressionParser._lex_condition_expression = _remembered_words  # type: ignore[assignment,method-assign]
    BaseBackend.urls = property(_remembered_urls)  # type: ignore[assignment,method-assign]


def unsigned(patch: pytest.MonkeyPatch) -> None:
    """Let requests go out without a signature and the client's long name, at which moto does not look, and to
    an address that was worked out once."""
    patch.setattr(SigV4Auth, "add_auth", _add_no_auth)
    patch.setattr(UserAgentString, "to_string", lambda _: "tests")
    # Each client has one for DynamoDB, whatever the request.
    patch.setattr(EndpointRulesetResolver, "construct_endpoint", _construct_once)


def _construct_once(
    resolver: EndpointRulesetResolver, operation_model: Any, *about: Any, **named: Any
) -> Any:
    if operation_model.service_model.service_name != "dynamodb":
        return _construct_endpoint(resolver, operation_model, *about, **named)
    if resolver not in _endpoints:
        _endpoints[resolver] = _construct_endpoint(resolver, operation_model, *about, **named)
    return _endpoints[resolver]


def _add_no_auth(auth: Any, request: Any) -> None:
    if auth._service_name == "s3":
        # What is signed of a body says how it is encoded.
        _add_auth(auth, request)
        return
    # Moto reads the region and the key's id.
    scope = f"local/20260101/{auth._region_name}/{auth._service_name}/aws4_request"
    del request.headers["Authorization"]
    request.headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"


def _process_quickly(stubber: BotocoreStubber, request: Any) -> Any:
    """Answer a request to DynamoDB without making a request of werkzeug of it, by each service's pattern."""
    target = request.headers.get("X-Amz-Target", b"")
    handler_of = _HANDLERS.get(target.partition(b"_")[0])
    if handler_of is None:
        return _process_request(stubber, request)
    handler: Any = handler_of()
    headers = {
        name: value.decode() if isinstance(value, bytes) else value for name, value in request.headers.items()
    }
    asked = SimpleNamespace(
        method="POST",
        headers=headers,
        values={},
        data=request.body,
        path="/",
        content_type=headers["Content-Type"],
    )
    vars(handler).update(
        headers=headers,
        body=request.body.decode(),
        querystring={},
        normalized_request=asked,
        region=handler.get_region_from_url(asked, request.url),
        current_account=DEFAULT_ACCOUNT_ID,
        uri_match={},
        response_headers={"server": "amazon.com"},
    )
    if handler.automated_parameter_parsing:
        handler.parse_parameters(asked)
    return handler.call_action()


def _same_request_id(headerdict: Any = None) -> str:
    if headerdict is not None:
        headerdict["x-amzn-requestid"] = _REQUEST_ID
    return _REQUEST_ID


def _remembered_nodes(traverser: Any) -> tuple[type, ...]:
    known: tuple[type, ...] | None = vars(traverser).get("known_nodes")
    if known is None:
        known = traverser.known_nodes = tuple(traverser._processing_map())
    return known


def _remembered_words(parser: ConditionExpressionParser) -> deque[Any]:
    expression = parser.condition_expression
    if expression not in _words:
        _words[expression] = tuple(_lex(parser))
    return deque(_words[expression])


def _remembered_urls(backend: BaseBackend) -> Any:
    if type(backend) not in _urls:
        _urls[type(backend)] = _urls_of(backend)
    return _urls[type(backend)]


def _serialize_quickly(serializer: Any, serialized: Any, value: Any, shape: Any, key: str) -> None:
    # One of ten members is there; moto looks for each.
    if key and shape.name == "AttributeValue" and (isinstance(value, DynamoType) or len(value) == 1):
        ((kind, content),) = [(value.type, value.value)] if isinstance(value, DynamoType) else value.items()
        if kind in _PLAIN:
            serialized[key] = {kind: content}
            return
    _serialize_structure(serializer, serialized, value, shape, key)


def _remembered_keys(picker: XFormedAttributePicker, context: AttributePickerContext) -> tuple[str, ...]:
    # The names follow from the class of what is answered and from the member's shape, which is kept here:
    # its id is no other's.
    asked = (type(context.obj), context.key, id(context.shape))
    if asked not in _known:
        _known[asked] = tuple(dict.fromkeys(_possible_keys(picker, context))), context.shape
    return _known[asked][0]


def _copied(value: Any) -> Any:
    return value if isinstance(value, Table) else copy.deepcopy(value)


def _transact_write_items(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    named = {operation.get("TableName") for item in transact_items for operation in item.values()}
    tables = [table for name, table in backend.tables.items() if name in named]
    # Written down in a fifth of the time of a deep copy, and read only if they are put back.
    rows = pickle.dumps([table.items for table in tables])
    changes = [list(table.stream_shard.items) if table.stream_shard else [] for table in tables]
    try:
        _transact(backend, transact_items)
    except Exception:
        for table, its_rows, its_changes in zip(tables, pickle.loads(rows), changes, strict=True):  # noqa: S301
            table.items = its_rows
            if table.stream_shard:
                table.stream_shard.items = its_changes
        raise


def _transact_once(handler: DynamoHandler) -> Any:
    token = handler.body.get("ClientRequestToken")
    if token not in _transactions:
        answer = _answer_transaction(handler)
        if token is None:
            return answer
        # One that is refused raises: its token is good for another try.
        _transactions[token] = answer
    return _transactions[token]


def reserved_words(body: Any) -> list[str]:
    """Return the reserved words that stand as names in the expressions of a request to DynamoDB."""
    if isinstance(body, list):
        return [word for each in body for word in reserved_words(each)]
    found = []
    for field, value in body.items() if isinstance(body, dict) else ():
        if field.endswith("Expression") and isinstance(value, str):
            found += _reserved_in(value)
        else:
            found += reserved_words(value)
    return found


@cache
def _reserved_in(expression: str) -> list[str]:
    return sorted({word.upper() for word in _NAME.findall(expression)} & _RESERVED)


def _call_without_reserved_words(handler: DynamoHandler) -> Any:
    words = reserved_words(getattr(handler, "params", {}))
    if words:
        message = f"Invalid expression: Attribute name is a reserved keyword; reserved keyword: {words[0]}"
        refusal = MockValidationException(message)
        return refusal.code, dict(refusal.get_headers()), refusal.get_body()
    return _call(handler)
