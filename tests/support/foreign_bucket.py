"""STS and S3 of a customer's AWS account, as HTTP servers that are as strict as AWS documents them.

Sources: AWS STS API Reference (AssumeRole), Amazon S3 API Reference (PutObject, Error responses).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote

from tests.support.http_server import Raw, Received, Reply, http_server

OWNER, REGION, NAME = "123456789012", "eu-central-1", "costs"
ROLE = f"arn:aws:iam::{OWNER}:role/tollgate-export"
_CREDENTIALS = (
    "<AssumeRoleResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><AssumeRoleResult><Credentials>"
    "<AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>example</SecretAccessKey>"
    "<SessionToken>example</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration>"
    "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
)
# What S3 answers for a fault, by its documents: the status and the code.
FAULTS = {
    "denied": (403, "AccessDenied"),
    "no bucket": (404, "NoSuchBucket"),
    "wrong region": (301, "PermanentRedirect"),
    "slow down": (503, "SlowDown"),
    "internal error": (500, "InternalError"),
}


@dataclass
class ForeignBucket:
    """A bucket and the role for it. `fault` is one of `FAULTS`, or `lost` for answers that get lost."""

    external_id: str
    trusts_everybody: bool = False
    fault: str | None = None
    objects: dict[str, bytes] = field(default_factory=dict)
    policies: list[str] = field(default_factory=list)
    urls: tuple[str, str] = ("", "")

    def assume(self, request: Received) -> Reply:
        """Answer AssumeRole."""
        sent = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        is_trusted = self.trusts_everybody or sent.get("ExternalId") == self.external_id
        if sent["RoleArn"] != ROLE or not is_trusted:
            return _error(403, "AccessDenied", "User is not authorized to perform: sts:AssumeRole", sts=True)
        self.policies.append(sent["Policy"])
        return Reply(200, _CREDENTIALS.encode(), {"content-type": "text/xml"})

    def put(self, request: Received) -> Reply | Raw:
        """Answer PutObject. The body may have the SDK's chunks."""
        if self.fault in FAULTS:
            status, code = FAULTS[self.fault]
            return _error(status, code, f"It is {self.fault}", region="us-west-2")
        assert request.method == "PUT"
        if request.headers["x-amz-expected-bucket-owner"] != OWNER:
            return _error(403, "AccessDenied", "Another account owns the bucket")
        path = unquote(request.path.partition("?")[0])
        bucket, _, key = path.removeprefix("/").partition("/")
        if bucket != NAME:
            return _error(404, "NoSuchBucket", "The specified bucket does not exist")
        self.objects[key] = request.body
        return Raw(()) if self.fault == "lost" else Reply(200, b"", {"etag": '"1"'})


def _error(status: int, code: str, message: str, *, sts: bool = False, region: str = REGION) -> Reply:
    body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    text = f"<ErrorResponse>{body}</ErrorResponse>" if sts else body
    return Reply(status, text.encode(), {"x-amz-bucket-region": region})


@contextmanager
def foreign_bucket(external_id: str) -> Iterator[ForeignBucket]:
    """Serve both; `urls` are the addresses of STS and of S3."""
    found = ForeignBucket(external_id)
    with http_server(found.assume) as sts, http_server(found.put) as s3:
        found.urls = (sts.removesuffix("/hook"), s3.removesuffix("/hook"))
        yield found
