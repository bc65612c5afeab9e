"""Our signer against botocore's own."""

from dataclasses import dataclass
from datetime import UTC, datetime

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from tollgate.kit.aws.sigv4 import signed_lines

CONTENT_TYPE = "application/x-amz-json-1.0"


@dataclass(frozen=True)
class Key:
    access_key: str
    secret_key: str
    token: str | None


words = st.text(st.characters(min_codepoint=48, max_codepoint=122), min_size=1, max_size=40)


class TestSignedHeaders:
    @given(words, words, st.none() | words.map(str.strip).filter(bool), st.binary(max_size=200))
    def test_the_authorization_is_the_one_botocore_makes(
        self, access_key: str, secret_key: str, token: str | None, body: bytes
    ) -> None:
        target = "DynamoDB_20120810.UpdateItem"
        request = AWSRequest(
            "POST",
            "https://dynamodb.eu-west-1.amazonaws.com/",
            data=body,
            headers={"content-type": CONTENT_TYPE, "x-amz-target": target},
        )
        SigV4Auth(Credentials(access_key, secret_key, token), "dynamodb", "eu-west-1").add_auth(request)
        stamp = datetime.strptime(request.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        lines = signed_lines(
            Key(access_key, secret_key, token),
            region="eu-west-1",
            service="dynamodb",
            host="dynamodb.eu-west-1.amazonaws.com",
            target=target,
            content_type=CONTENT_TYPE,
            body=body,
            now_s=stamp.timestamp(),
        )
        assert lines.endswith("\r\n")
        ours = dict(line.split(":", 1) for line in lines[:-2].split("\r\n"))
        assert ours["content-type"] == CONTENT_TYPE
        assert ours["x-amz-target"] == target
        assert ours["authorization"] == request.headers["Authorization"]
        assert ours["x-amz-date"] == request.headers["X-Amz-Date"]
        assert ours.get("x-amz-security-token") == token
