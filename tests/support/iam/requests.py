"""What a call to AWS needs, by the service authorization reference: actions on resources, with condition
keys.

Source: AWS Service Authorization Reference, "Actions, resources, and condition keys" of DynamoDB, SQS, S3,
Lambda, Secrets Manager, SES v2, Systems Manager, Cognito user pools and STS. A service or an operation that
is not known here is refused by `KeyError`.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.support.iam.rights import Request

Params = Mapping[str, Any]

ACCOUNT = "${AWS::Partition}:{service}:${AWS::Region}:${AWS::AccountId}"
_TRANSACTED = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "Get": "GetItem",
}
_S3_ACTIONS = {
    "GetObject": "GetObject",
    "HeadObject": "GetObject",
    "PutObject": "PutObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
    "AbortMultipartUpload": "AbortMultipartUpload",
    "DeleteObject": "DeleteObject",
}
_SQS_ACTIONS = {
    "SendMessage": "SendMessage",
    "SendMessageBatch": "SendMessage",
    "ReceiveMessage": "ReceiveMessage",
    "DeleteMessage": "DeleteMessage",
    "DeleteMessageBatch": "DeleteMessage",
    "GetQueueAttributes": "GetQueueAttributes",
    "ChangeMessageVisibility": "ChangeMessageVisibility",
}
_PARAMETERS = {
    "SIGN_IN": "/${AWS::StackName}/sign-in",
    "VISITOR": "/${AWS::StackName}/visitor",
}
"""Parameters of the stack, by the first words of the variable that names them."""
_ID = re.compile(r"(?<=[a-z]_)[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8,}|\d{2,}|(?<=-)\d")
"""The last alternative is a small number, such as a size in a name. Else each size is a call of its own."""


class Names:
    """The template's names of what the stand-ins call otherwise: `physical` has logical ids by physical
    name."""

    def __init__(self, physical: Mapping[str, str]) -> None:
        self._physical = physical

    def arn(self, physical: str) -> str:
        """Return a resource's name in the template; what is not of the stack stays as it is."""
        name = physical.rpartition("/")[2].rpartition(":")[2]
        # An ARN of a secret ends in six characters of its own.
        found = self._physical.get(name) or self._physical.get(name.rpartition("-")[0])
        return f"${{{found}.Arn}}" if found else physical


def requests_of(service: str, operation: str, params: Params, names: Names) -> list[Request]:
    """Return all that a call needs."""
    return list(_SERVICES[service](operation, params, names))


def of_missing(bucket: str, names: Names) -> Request:
    """Return what S3 wants before it says that an object is missing; otherwise it says 403.

    The request has no `s3:prefix`, so a right that is bound to a prefix is none. Source: S3 API Reference,
    GetObject and HeadObject, "Permissions"; the second sentence is INFERRED from how IAM treats a key that
    is not there.
    """
    return Request("s3:ListBucket", names.arn(bucket))


def _dynamodb(operation: str, params: Params, names: Names) -> Iterator[Request]:
    if operation in {"TransactWriteItems", "TransactGetItems"}:
        for item in params["TransactItems"]:
            for kind, one in item.items():
                yield Request(f"dynamodb:{_TRANSACTED[kind]}", names.arn(one["TableName"]))
    elif operation in {"BatchGetItem", "BatchWriteItem"}:
        for table in params["RequestItems"]:
            yield Request(f"dynamodb:{operation}", names.arn(table))
    else:
        index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
        yield Request(f"dynamodb:{operation}", names.arn(params["TableName"]) + index)


def _streams(operation: str, params: Params, names: Names) -> Iterator[Request]:
    # …:table/NAME/stream/LABEL; an iterator is told by the recorder.
    table = params["StreamArn"].partition("/stream/")[0]
    yield Request(f"dynamodb:{operation}", f"{names.arn(table)}/stream/LABEL")


def _sqs(operation: str, params: Params, names: Names) -> Iterator[Request]:
    yield Request(f"sqs:{_SQS_ACTIONS[operation]}", names.arn(params["QueueUrl"]))


def _s3(operation: str, params: Params, names: Names) -> Iterator[Request]:
    bucket = names.arn(params["Bucket"])
    if operation in {"ListObjectsV2", "ListObjects"}:
        prefix = (("s3:prefix", without_ids(params["Prefix"])),) if "Prefix" in params else ()
        yield Request("s3:ListBucket", bucket, prefix)
    elif operation == "DeleteObjects":
        for one in params["Delete"]["Objects"]:
            yield Request("s3:DeleteObject", f"{bucket}/{without_ids(one['Key'])}")
    else:
        key = f"{bucket}/{without_ids(params['Key'])}"
        yield Request(f"s3:{_S3_ACTIONS[operation]}", key)
        # S3 User Guide, "How to prevent object overwrites with conditional writes"
        if "IfMatch" in params and operation == "PutObject":
            yield Request("s3:GetObject", key)


def _lambda(operation: str, params: Params, names: Names) -> Iterator[Request]:
    name, colon, alias = params["FunctionName"].partition(":")
    yield Request(f"lambda:{operation}Function", f"${{{name}.Arn}}{colon}{alias}")


def _secrets(operation: str, params: Params, names: Names) -> Iterator[Request]:
    yield Request(f"secretsmanager:{operation}", names.arn(params["SecretId"]))


def _ses(operation: str, params: Params, names: Names) -> Iterator[Request]:
    sender = params["FromEmailAddress"]
    sender = "${MailFrom}" if sender == os.environ.get("MAIL_FROM") else sender
    resource = f"arn:{ACCOUNT.replace('{service}', 'ses')}:identity/{sender}"
    yield Request(f"ses:{operation}", resource, (("ses:FromAddress", sender),))


def _ssm(operation: str, params: Params, names: Names) -> Iterator[Request]:
    told = {os.environ.get(f"{name}_PARAMETER"): path for name, path in _PARAMETERS.items()}
    name = told.get(params["Name"], params["Name"])
    yield Request(f"ssm:{operation}", f"arn:{ACCOUNT.replace('{service}', 'ssm')}:parameter{name}")


def _cognito(operation: str, params: Params, names: Names) -> Iterator[Request]:
    if "AccessToken" in params:
        # The token authorizes it, and AWS evaluates no policy (API Reference, AssociateSoftwareToken).
        return
    pool = params["UserPoolId"]
    yield Request(
        f"cognito-idp:{operation}", "${UserPool.Arn}" if pool == os.environ.get("USER_POOL_ID") else pool
    )


def _sts(operation: str, params: Params, names: Names) -> Iterator[Request]:
    yield Request(f"sts:{operation}", params["RoleArn"].replace("arn:aws:", "arn:${AWS::Partition}:"))


_SERVICES: dict[str, Callable[[str, Params, Names], Iterator[Request]]] = {
    "dynamodb": _dynamodb,
    "dynamodbstreams": _streams,
    "sqs": _sqs,
    "s3": _s3,
    "lambda": _lambda,
    "secretsmanager": _secrets,
    "sesv2": _ses,
    "ssm": _ssm,
    "cognito-idp": _cognito,
    "sts": _sts,
}


def without_ids(key: str) -> str:
    """Return an object's key with `ID` in the place of each id, digest and number."""
    return _ID.sub("ID", key)
