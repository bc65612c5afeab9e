"""What moto and botocore work out anew for each request and answer though they need not."""

from functools import cache
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from boto3 import Session
from botocore import endpoint
from botocore.auth import SigV4Auth
from botocore.regions import EndpointRulesetResolver
from botocore.useragent import UserAgentString
from moto import backend_index
from moto.core import models as mocks
from moto.core import responses
from moto.core.base_backend import BaseBackend
from moto.core.serialize import AttributePickerContext, XFormedAttributePicker
from moto.core.utils import camelcase_to_underscores, method_names_from_class
from moto.sqs import models as sqs

from tests.support import quick_dynamodb
from tests.support.moto_stack import PLACES
from tests.support.quick_dynamodb import REQUEST_ID

_possible_keys = XFormedAttributePicker.get_possible_keys
_known: dict[tuple[type, str, int], tuple[tuple[str, ...], Any]] = {}
_add_auth = SigV4Auth.add_auth
_construct_endpoint = EndpointRulesetResolver.construct_endpoint
_urls_of: Any = BaseBackend.urls.fget  # type: ignore[attr-defined]
_urls: dict[type, Any] = {}
_endpoints: WeakKeyDictionary[EndpointRulesetResolver, Any] = WeakKeyDictionary()


def install() -> None:
    """Let moto remember which methods a service has and the names that a member of an answer may have."""
    quick_dynamodb.install()
    camelcase = cache(camelcase_to_underscores)
    # Mocks of the package `requests`, which nobody here uses: a thousand objects for each test.
    mocks.RESPONSES_METHODS.clear()
    responses.camelcase_to_underscores = camelcase  # type: ignore[attr-defined]
    sqs.camelcase_to_underscores = camelcase  # type: ignore[attr-defined]
    responses.method_names_from_class = cache(method_names_from_class)  # type: ignore[attr-defined]
    XFormedAttributePicker.get_possible_keys = _remembered_keys  # type: ignore[assignment,method-assign]
    # Drawn letter by letter, and read by nobody.
    responses.gen_amzn_requestid_long = _same_request_id  # type: ignore[attr-defined]
    endpoint.uuid = SimpleNamespace(uuid4=lambda: REQUEST_ID)  # type: ignore[attr-defined]
    # Each request is held against the patterns of two hundred services, one by one.
    backend_index.backend_url_patterns.sort(key=lambda pattern: pattern[0] not in PLACES)
    Session.get_available_regions = cache(Session.get_available_regions)  # type: ignore[method-assign]
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


def _same_request_id(headerdict: Any = None) -> str:
    if headerdict is not None:
        headerdict["x-amzn-requestid"] = REQUEST_ID
    return REQUEST_ID


def _remembered_urls(backend: BaseBackend) -> Any:
    if type(backend) not in _urls:
        _urls[type(backend)] = _urls_of(backend)
    return _urls[type(backend)]


def _remembered_keys(picker: XFormedAttributePicker, context: AttributePickerContext) -> tuple[str, ...]:
    # The names follow from the class of what is answered and from the member's shape, which is kept here:
    # its id is no other's.
    asked = (type(context.obj), context.key, id(context.shape))
    if asked not in _known:
        _known[asked] = tuple(dict.fromkeys(_possible_keys(picker, context))), context.shape
    return _known[asked][0]
