"""Writes objects into the bucket of another AWS account, with a role of that account."""

import json
from collections.abc import Callable
from typing import Any

from tollgate.kit.aws import sdk

# AWS's shortest session.
SESSION_S = 900


def role_bucket(
    role_arn: str, session: str, external_id: str | None, place: tuple[str, str], region: str
) -> Callable[[str, bytes, str], None]:
    """Assume a role; return the function that writes an object: its key, its bytes, its media type.

    `place` is a bucket and a prefix. The session can only write there, whatever else the role may do. S3
    refuses a bucket of another account than the role's. Both raise `ClientError` and `BotoCoreError`.
    """
    bucket, prefix = place
    _, partition, _, _, owner, _ = role_arn.split(":", 5)
    statement = {
        "Effect": "Allow",
        "Action": "s3:PutObject",
        "Resource": f"arn:{partition}:s3:::{bucket}/{prefix}*",
    }
    given = {} if external_id is None else {"ExternalId": external_id}
    answer = sdk.sts().assume_role(
        RoleArn=role_arn,
        RoleSessionName=session,
        DurationSeconds=SESSION_S,
        Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
        **given,
    )
    s3: Any = sdk.s3_with(answer["Credentials"], region)

    def put(key: str, body: bytes, media_type: str) -> None:
        s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=media_type, ExpectedBucketOwner=owner)

    return put
