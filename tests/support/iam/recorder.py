"""A pytest plugin: each AWS call that a function makes in a functional test is judged by the function's role.

A call belongs to the function whose handler is running, in its threads too; to none if a test makes it. A
call that its role does not allow fails the test. What S3 says of an object that is missing depends on the
role: the stand-in's 404 becomes 403 if the role may not list the bucket.

A full run also compares what was asked with `calls.json`. With `TOLLGATE_RECORD_CALLS=1` it writes that
file, and a run of some files adds to it.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import cache, partial, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any
from urllib.parse import parse_qsl

import botocore.client
import botocore.signers
import pytest
from botocore.exceptions import ClientError

from local.machine.stack import physical_name
from local.template import ROOT, read_template
from tests.support.iam import recording
from tests.support.iam.requests import Names, of_missing, requests_of
from tests.support.iam.rights import Request, Role, roles
from tollgate.kit.aws.json_protocol import AwsJson
from tollgate.kit.aws.s3_get import S3Get
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.http.response import HttpError
from tollgate.kit.remote_document import Fetched, Nothing

FUNCTIONS, TESTS = f"{ROOT}/functions/", f"{ROOT}/tests/functional/"
MISSING, FORBIDDEN = 404, 403
A_TEST = ""
"""The owner of what a test asks by itself."""
WITHOUT_SDK = "TextFunction"
"""The one function whose composition has clients without an SDK."""

_owner: ContextVar[str | None] = ContextVar("owner", default=None)
_made: set[recording.Call] = set()
_denied: list[str] = []
_streams: dict[str, str] = {}
"""The stream of each iterator."""
_files: set[str] = set()
"""The files whose tests ran."""
_is_on = False


def owner() -> str | None:
    """Return the logical id of the function that is running; `A_TEST` for what a test does meanwhile."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not _HANDLED:
        if frame.f_code.co_filename.startswith(TESTS):
            return A_TEST
        frame = frame.f_back
    return _owner.get()


def _owned(function: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler with all that it does, in its threads and tasks too, being the function's."""

    @wraps(handler, updated=())
    def handled(event: Any, context: Any) -> Any:
        token = _owner.set(function)
        try:
            return handler(event, context)
        finally:
            _owner.reset(token)

    return handled


_HANDLED = next(each for each in _owned.__code__.co_consts if getattr(each, "co_name", "") == "handled")


class _Handlers(MetaPathFinder):
    """Finds `<stem>.app` as usual, and gives it a handler that is owned."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a function's module; None for all else."""
        stem, _, rest = name.partition(".")
        if rest != "app" or not (Path(FUNCTIONS) / stem / "app.py").exists():
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = partial(self._load, load, logical_id(stem))  # type: ignore[method-assign]
        return spec

    @staticmethod
    def _load(load: Callable[[ModuleType], None], function: str, module: ModuleType) -> None:
        load(module)
        # `text` has none: a server runs it.
        if hasattr(module, "handler"):
            vars(module)["handler"] = _owned(function, module.handler)


def logical_id(stem: str) -> str:
    """Return the logical id of a function: `RunTaskFunction` of `run_task`."""
    return "".join(part.capitalize() for part in stem.split("_")) + "Function"


@cache
def _roles() -> dict[str, Role]:
    return roles(read_template())


@cache
def _names() -> Names:
    return Names({physical_name(logical_id): logical_id for logical_id in read_template().resources})


@cache
def _allows(function: str, request: Request) -> bool:
    return _roles()[function].allows(request)


def _judge(function: str, request: Request, why: str = "") -> bool:
    """Note what a function asks; return whether it may."""
    if allowed := _allows(function, request):
        _made.add((function, request))
    else:
        _denied.append(f"{function} may not: {request}{why}")
    return allowed


def _ask(function: str | None, service: str, operation: str, params: Any) -> None:
    if function and _is_on:
        for request in requests_of(service, operation, params, _names()):
            _judge(function, request)


def judge(service: str, operation: str, **params: Any) -> None:
    """Judge what the running function asks of a client that a test plays."""
    _ask(_owner.get(), service, operation, params)


def judge_for(function: str, service: str, operation: str, **params: Any) -> None:
    """Judge what a function asks of a client that a test plays, in a server that serves several tests."""
    _ask(function, service, operation, params)


def _may_know(function: str | None, bucket: str) -> bool:
    """Return whether S3 tells a function that an object of a bucket is missing: else it says 403."""
    if not function or not _is_on:
        return True
    return _judge(function, of_missing(bucket, _names()), ": S3 says 403 of an object that is missing")


def _sdk(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def judged(client: Any, operation: str, params: dict[str, Any]) -> Any:
        function, service = owner(), client.meta.service_model.service_name
        # A bucket of a customer is written to as a role of the customer.
        if not function or "ExpectedBucketOwner" in params:
            return call(client, operation, params)
        stream = _streams.get(params.get("ShardIterator", ""))
        _ask(function, service, operation, {"StreamArn": stream, **params} if stream else params)
        try:
            answer = call(client, operation, params)
        except ClientError as exc:
            missing = exc.response["ResponseMetadata"].get("HTTPStatusCode") == MISSING
            if service == "s3" and missing and not _may_know(function, params["Bucket"]):
                raise _forbidden(operation) from exc
            raise
        for name in ("ShardIterator", "NextShardIterator"):
            if answer.get(name):
                _streams[answer[name]] = params.get("StreamArn") or _streams[params["ShardIterator"]]
        return answer

    return judged


def _forbidden(operation: str) -> ClientError:
    # A HEAD has no body, so its code is the status.
    code = str(FORBIDDEN) if operation == "HeadObject" else "AccessDenied"
    answer: Any = {
        "Error": {"Code": code, "Message": code},
        "ResponseMetadata": {"HTTPStatusCode": FORBIDDEN},
    }
    return ClientError(answer, operation)


def _signing(sign: Callable[..., Any]) -> Callable[..., Any]:
    """Judge what an address is signed for when it is signed: whoever uses it has the signer's rights."""

    @wraps(sign)
    def judged(client: Any, ClientMethod: str, Params: Any = None, **named: Any) -> Any:  # noqa: N803
        operation = client._PY_TO_OP_NAME[ClientMethod]
        _ask(owner(), client.meta.service_model.service_name, operation, Params or {})
        return sign(client, ClientMethod, Params, **named)

    return judged


def _signing_form(sign: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(sign)
    def judged(client: Any, Bucket: str, Key: str, **named: Any) -> Any:  # noqa: N803
        # One for a folder is never given to anybody: a page asks for the address that forms go to.
        if not Key.endswith("/"):
            _ask(owner(), "s3", "PutObject", {"Bucket": Bucket, "Key": Key})
        return sign(client, Bucket, Key, **named)

    return judged


def _without_sdk() -> str:
    found = owner()
    return WITHOUT_SDK if found is None else found


def _json(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    async def judged(service: AwsJson, operation: str, request: Any) -> Any:
        params = json.loads(request) if isinstance(request, str) else request
        _ask(_without_sdk(), service.service, operation, params)
        return await call(service, operation, request)

    return judged


def _document(read: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(read)
    async def judged(document: S3Get, etag: str | None) -> Fetched:
        place, _, key = document.url.partition("://")[2].rpartition("/")
        # An emulator has the bucket in the path, S3 in the host.
        bucket = place.partition(".s3.")[0].rpartition("/")[2]
        _ask(_without_sdk(), "s3", "GetObject", {"Bucket": bucket, "Key": key})
        found: Fetched = await read(document, etag)
        if found is Nothing.MISSING and not _may_know(_without_sdk(), bucket):
            raise HttpError(f"S3 answered {FORBIDDEN}")
        return found

    return judged


def _object(request: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(request)
    async def judged(objects: S3Objects, method: str, name: str, body: bytes = b"", **more: Any) -> Any:
        if query := more.get("query"):
            asked = {"Bucket": objects.bucket, "Prefix": dict(parse_qsl(query))["prefix"]}
            _ask(_without_sdk(), "s3", "ListObjectsV2", asked)
        else:
            operation = {"GET": "GetObject", "PUT": "PutObject"}[method]
            _ask(_without_sdk(), "s3", operation, {"Bucket": objects.bucket, "Key": name})
        response = await request(objects, method, name, body, **more)
        if response.status == MISSING and not _may_know(_without_sdk(), objects.bucket):
            response.status = FORBIDDEN
        return response

    return judged


_submit = ThreadPoolExecutor.submit


def _submit_with_owner(pool: ThreadPoolExecutor, work: Any, *args: Any, **named: Any) -> Future[Any]:
    return _submit(pool, copy_context().run, work, *args, **named)


def _install() -> None:
    sys.meta_path.insert(0, _Handlers())
    client: Any = botocore.client.BaseClient
    client._make_api_call = _sdk(client._make_api_call)
    signers: Any = botocore.signers
    signers.generate_presigned_url = _signing(signers.generate_presigned_url)
    signers.generate_presigned_post = _signing_form(signers.generate_presigned_post)
    for kind, name, judged in (
        (AwsJson, "call", _json),
        (S3Get, "read", _document),
        (S3Objects, "_request", _object),
    ):
        setattr(kind, name, judged(getattr(kind, name)))
    ThreadPoolExecutor.submit = _submit_with_owner  # type: ignore[assignment,method-assign]


_install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Judge the calls of functional tests."""
    global _is_on  # noqa: PLW0603 - one test at a time
    _is_on = str(item.path).startswith(TESTS)
    if _is_on:
        _files.add(item.path.name)
    _denied.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that a function asked more in than its role allows."""
    try:
        result = yield
    except BaseException as exc:
        exc.add_note("\n".join(_denied))
        raise
    if _denied:
        pytest.fail("\n".join(sorted(set(_denied))), pytrace=False)
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a worker saw to the process that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput.update(calls=recording.as_json(_made), files=sorted(_files))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker saw."""
    seen = getattr(node, "workeroutput", {})
    _made.update(recording.of_json(seen.get("calls", {})))
    _files.update(seen.get("files", []))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write what was asked, if that is wanted; else say how much of it is not recorded."""
    recorded = recording.read()
    if os.environ.get("TOLLGATE_RECORD_CALLS"):
        is_full = _files >= {file.name for file in Path(TESTS).glob("test_*.py")}
        recording.write(_made if is_full else _made | recorded)
    elif added := len(_made - recorded):
        terminalreporter.write_line(f"calls.json lacks {added} calls (make record-calls)")
