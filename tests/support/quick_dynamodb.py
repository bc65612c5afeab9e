"""moto's DynamoDB without HTTP, and without what it works out or copies anew for each request.

Only what is asked about rows and changes of rows goes this way; tables and settings go moto's own.

And three things that moto lacks. A transaction that comes again under its token is done once:
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
And a reserved word as a name is refused in every expression, where moto refuses it only in updates:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html
A query between two bounds is refused if the upper one is below the lower one; moto finds no rows.
"""

import json
import pickle
import re
from collections import defaultdict
from copy import copy
from datetime import datetime
from functools import cache
from inspect import signature
from types import SimpleNamespace
from typing import Any

from botocore import xform_name
from botocore.endpoint import Endpoint
from moto.core import models as mocks
from moto.core.exceptions import JsonRESTError
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb import models
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.exceptions import ItemSizeTooLarge, MockValidationException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DDBType, DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing import validators
from moto.dynamodb.parsing.ast_nodes import DepthFirstTraverser, Node  # type: ignore[attr-defined]
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords
from moto.dynamodb.parsing.validators import ActionCountValidator, UpdateExpressionValidator
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.responses import DynamoDBStreamsHandler

REQUEST_ID = "0" * 52
MAX_ROW_BYTES = 405_000
"""As moto has it; DynamoDB's own limit is 400 KB."""
MOST_CONDITIONS = 1_000
"""How many are kept that were read."""

_HANDLERS: dict[str, Any] = {"dynamodb": DynamoHandler, "dynamodbstreams": DynamoDBStreamsHandler}
_QUICK = {
    *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"),
    *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
    *("DescribeStream", "GetShardIterator", "GetRecords"),
}
# A name in an expression: no placeholder, and no part of a path after its first.
_NAME = re.compile(r"(?<![\w:#.])[A-Za-z_]\w*(?!\w|\s*\()")
_BETWEEN = re.compile(r"BETWEEN (:\w+) AND (:\w+)")
_OPERATORS = {"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "ADD", "REMOVE", "DELETE"}
_RESERVED = frozenset(ReservedKeywords.get_reserved_keywords()) - _OPERATORS

_create_request: Any = Endpoint.create_request
_respond: Any = Endpoint._do_get_response  # type: ignore[attr-defined]
_transact = DynamoDBBackend.transact_write_items
_answer_transaction = DynamoHandler.transact_write_items
_parse = ConditionExpressionParser.parse
_ast_processors = UpdateExpressionValidator.get_ast_processors
_query_table = Table.query
# Its place among the arguments after the partition's key.
_INDEX_NAME = list(signature(Table.query).parameters).index("index_name") - 2
_cast_value: Any = DynamoType.cast_value.fget  # type: ignore[attr-defined]
# By token. Tokens are random, so those of earlier tests are in nobody's way.
_transactions: dict[str, Any] = {}
# By expression, names and values: the condition, and the names and values that are in it.
_conditions: dict[tuple[Any, str, str], tuple[Any, list[str], list[str]]] = {}
# By traverser and node: the name of what the traverser does there; None where it has nothing to go through.
_steps: dict[tuple[type, type], str | None] = {}
# By the tree of an expression.
_trees: dict[Any, bytes] = {}


def install() -> None:
    """Answer requests about rows and streams in this way, wherever moto answers."""
    patches: tuple[tuple[Any, str, Any], ...] = (
        (Endpoint, "create_request", _create_quickly),
        (Endpoint, "_do_get_response", _respond_quickly),
        (DynamoHandler, "transact_write_items", _transact_once),
        (DynamoDBBackend, "transact_write_items", _transact_write_items),
        (models, "copy", SimpleNamespace(deepcopy=_copied)),
        (Item, "__init__", _fill),
        (LimitedSizeDict, "__reduce_ex__", _reduced),
        # The same expressions come again and again. What reads one of an update works on a copy.
        (UpdateExpressionParser, "make", cache(UpdateExpressionParser.make)),
        (validators, "deepcopy", _copied_tree),
        (DepthFirstTraverser, "traverse_node_recursively", _traverse),
        (ConditionExpressionParser, "parse", _parse_once),
        (UpdateExpressionValidator, "get_ast_processors", _processors),
        (Table, "query", _query),
        (DynamoType, "cast_value", property(_cast)),
    )
    for owner, name, quick in patches:
        setattr(owner, name, quick)


def _is_quick(operation: Any) -> bool:
    return mocks.botocore_stubber.enabled and operation.name in _QUICK


def _create_quickly(endpoint: Any, params: Any, operation: Any = None) -> Any:
    if not _is_quick(operation):
        return _create_request(endpoint, params, operation)
    return SimpleNamespace(url=params["url"], body=params["body"], reset_stream=lambda: None)


def _respond_quickly(endpoint: Any, request: Any, operation: Any, context: Any) -> Any:
    if not _is_quick(operation):
        return _respond(endpoint, request, operation, context)
    handler: Any = _HANDLERS[operation.service_model.service_name]()
    body = json.loads(request.body)
    vars(handler).update(
        body=body,
        params=body,
        uri_match={},
        automated_parameter_parsing=True,
        region=context["client_region"],
        current_account=DEFAULT_ACCOUNT_ID,
    )
    try:
        if words := reserved_words(body):
            raise MockValidationException(
                f"Invalid expression: Attribute name is a reserved keyword; reserved keyword: {words[0]}"
            )
        if _is_backwards(body):
            raise MockValidationException(
                "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater "
                "than or equal to lower bound"
            )
        result = getattr(handler, xform_name(operation.name))().result
        # As JSON, so that the caller has nothing of which moto has a part. Times are seconds, as in an event.
        written = json.loads(json.dumps(result, default=datetime.timestamp))
    except JsonRESTError as exc:
        parser = endpoint._response_parser_factory.create_parser("json")
        answer = {"status_code": exc.code, "headers": {}, "body": exc.description.encode()}
        parsed = parser.parse(answer, operation.output_shape)
        endpoint._add_modeled_error_fields(answer, parsed, operation, parser)
    else:
        parsed = {name: value for name, value in written.items() if name in operation.output_shape.members}
        parsed["ResponseMetadata"] = {"HTTPStatusCode": 200, "HTTPHeaders": {}, "RequestId": REQUEST_ID}
    status = parsed["ResponseMetadata"]["HTTPStatusCode"]
    return (SimpleNamespace(status_code=status, headers={}, content=b""), parsed), None


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


def _is_backwards(body: Any) -> bool:
    bounds = _BETWEEN.findall(body.get("KeyConditionExpression", ""))
    values = body.get("ExpressionAttributeValues", {})
    return any(_bound(values[last]) < _bound(values[first]) for first, last in bounds)


def _bound(value: dict[str, str]) -> Any:
    ((kind, text),) = value.items()
    return int(text) if kind == "N" else text


def _transact_once(handler: DynamoHandler) -> Any:
    token = handler.body.get("ClientRequestToken")
    if token not in _transactions:
        answer = _answer_transaction(handler)
        if token is None:
            return answer
        # One that is refused raises: its token is good for another try.
        _transactions[token] = answer
    return _transactions[token]


def _transact_write_items(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    # Moto copies each table, with all that its stream told.
    operations = [operation for item in transact_items for operation in item.values()]
    places = [place for operation in operations for place in _places(backend, operation)]
    # Written down in a fifth of the time of a deep copy, and read only if they are put back.
    rows = pickle.dumps([place.get(key) for place, key in places])
    shards = [table.stream_shard for table in backend.tables.values() if table.stream_shard]
    changes = [(shard, len(shard.items)) for shard in shards]
    try:
        _transact(backend, transact_items)
    except Exception:
        for (place, key), row in zip(places, pickle.loads(rows), strict=True):  # noqa: S301
            if row is None:
                place.pop(key, None)
            else:
                place[key] = row
        for shard, length in changes:
            del shard.items[length:]
        raise


def _places(backend: DynamoDBBackend, operation: dict[str, Any]) -> list[tuple[dict[Any, Any], DynamoType]]:
    """Return the rows among which an operation's row is, and its key there; nothing if it names no row."""
    table: Any = backend.tables.get(operation.get("TableName", ""))
    named = operation.get("Key") or operation.get("Item", {})
    if table is None or not named.keys() >= set(table.table_key_attrs):
        return []
    keys = [DynamoType(named[name]) for name in table.table_key_attrs]
    return [(table.items[keys[0]] if table.has_range_key else table.items, keys[-1])]


def _copied(value: Any) -> Any:
    return value if isinstance(value, Table) else pickle.loads(pickle.dumps(value))  # noqa: S301


def _fill(row: Any, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]) -> None:
    row.hash_key, row.range_key = hash_key, range_key
    row.attrs = _limited({name: DynamoType(value) for name, value in attrs.items()})
    # Once, where moto adds all up anew with each attribute.
    if row.size() > MAX_ROW_BYTES:
        raise ItemSizeTooLarge


def _limited(attributes: dict[str, DynamoType]) -> LimitedSizeDict:
    limited = LimitedSizeDict()
    dict.update(limited, attributes)
    return limited


def _reduced(limited: LimitedSizeDict, _: Any) -> Any:
    return _limited, (dict(limited),)


def _copied_tree(expression: Any) -> Any:
    if expression not in _trees:
        ActionCountValidator().traverse(expression)
        _trees[expression] = pickle.dumps(expression)
    return pickle.loads(_trees[expression])  # noqa: S301


def _processors(validator: UpdateExpressionValidator) -> list[DepthFirstTraverser]:
    # Each expression was counted before its first copy was made.
    return [one for one in _ast_processors(validator) if not isinstance(one, ActionCountValidator)]


def _query(table: Table, hash_key: DynamoType | None, *about: Any, **named: Any) -> Any:
    # Moto sorts all rows of the table, and then takes those of the partition.
    if about[_INDEX_NAME] is None:
        there = table.items.keys() & {hash_key}
        table, rows = copy(table), table.items
        table.items = defaultdict(dict, {each: rows[each] for each in there})
    return _query_table(table, hash_key, *about, **named)


def _cast(value: DynamoType) -> Any:
    return value.value if value.type == DDBType.STRING else _cast_value(value)


def _traverse(traverser: Any, node: Any, child_id: int = -1) -> Any:
    # As moto does, which works out anew at each node whether the traverser does something there.
    kinds = type(traverser), type(node)
    if kinds not in _steps:
        named = ((of, step.__name__) for of, step in traverser._processing_map().items())
        step = next((name for of, name in named if isinstance(node, of)), "")
        _steps[kinds] = step if isinstance(node, Node) else None
    found = _steps[kinds]
    if found is None:
        return node
    parent = node.parent
    for index, child in enumerate(node.children or ()):
        traverser.pre_processing_of_child(node, index)
        _traverse(traverser, child, index)
    if found:
        node = getattr(traverser, found)(node)
        node.parent = parent
        if parent:
            parent.children[child_id] = node
    return node


def _parse_once(parser: ConditionExpressionParser) -> Any:
    # A transaction reads each of its conditions three times.
    names, values = str(parser.expression_attribute_names), str(parser.expression_attribute_values)
    asked = parser.condition_expression, names, values
    if asked not in _conditions:
        if len(_conditions) >= MOST_CONDITIONS:
            _conditions.clear()
        _conditions[asked] = _parse(parser), parser.expr_attr_names_found, parser.expr_attr_values_found
    condition, names_found, values_found = _conditions[asked]
    # Whoever asks may add to them.
    parser.expr_attr_names_found, parser.expr_attr_values_found = list(names_found), list(values_found)
    return condition
