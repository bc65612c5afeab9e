"""The evaluator of roles, by cases worked out from IAM's documentation."""

from typing import Any

import pytest

from tests.support.iam.requests import Names, of_missing, requests_of, without_ids
from tests.support.iam.rights import Request, Role

TABLE = {"Fn::GetAtt": ["TasksTable", "Arn"]}
BUCKET = {"Fn::GetAtt": ["MediaBucket", "Arn"]}
LISTS_INPUTS = {
    "Effect": "Allow",
    "Action": "s3:ListBucket",
    "Resource": BUCKET,
    "Condition": {"StringLike": {"s3:prefix": ["inputs/*"]}},
}
MAILS = {
    "Effect": "Allow",
    "Action": "ses:SendEmail",
    "Resource": {"Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"},
    "Condition": {"StringEquals": {"ses:FromAddress": {"Ref": "MailFrom"}}},
}
IDENTITY = "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/a@example.com"
NAMES = Names({"tollgate-taskstable": "TasksTable", "tollgate-mediabucket": "MediaBucket"})


def allow(action: Any, resource: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource}


@pytest.mark.parametrize(
    ("statements", "request_", "expected"),
    [
        ([], Request("dynamodb:GetItem", "${TasksTable.Arn}"), False),
        ([allow("dynamodb:GetItem", TABLE)], Request("dynamodb:GetItem", "${TasksTable.Arn}"), True),
        ([allow("dynamodb:GetItem", TABLE)], Request("dynamodb:PutItem", "${TasksTable.Arn}"), False),
        ([allow("dynamodb:GetItem", TABLE)], Request("dynamodb:GetItem", "${AccountsTable.Arn}"), False),
        # A table is not its indexes.
        ([allow("dynamodb:Query", TABLE)], Request("dynamodb:Query", "${TasksTable.Arn}/index/Due"), False),
        (
            [allow("dynamodb:Query", {"Fn::Sub": "${TasksTable.Arn}/index/Due"})],
            Request("dynamodb:Query", "${TasksTable.Arn}/index/Due"),
            True,
        ),
        (
            [allow("s3:GetObject", {"Fn::Sub": "${MediaBucket.Arn}/media/*"})],
            Request("s3:GetObject", "${MediaBucket.Arn}/inputs/usr_1/a.png"),
            False,
        ),
        # A Deny is stronger than any Allow; NotResource is everything else.
        (
            [allow("logs:PutLogEvents", "*"), {**allow("logs:PutLogEvents", "*"), "Effect": "Deny"}],
            Request("logs:PutLogEvents", "${ApiLogGroup.Arn}"),
            False,
        ),
        (
            [
                allow("logs:PutLogEvents", "*"),
                {"Effect": "Deny", "Action": "logs:PutLogEvents", "NotResource": TABLE},
            ],
            Request("logs:PutLogEvents", "${ApiLogGroup.Arn}"),
            False,
        ),
        ([LISTS_INPUTS], Request("s3:ListBucket", "${MediaBucket.Arn}", (("s3:prefix", "inputs/a"),)), True),
        ([LISTS_INPUTS], Request("s3:ListBucket", "${MediaBucket.Arn}", (("s3:prefix", "media/a"),)), False),
        # A key that the request does not have matches nothing.
        ([LISTS_INPUTS], Request("s3:ListBucket", "${MediaBucket.Arn}"), False),
        ([MAILS], Request("ses:SendEmail", IDENTITY, (("ses:FromAddress", "${MailFrom}"),)), True),
        ([MAILS], Request("ses:SendEmail", IDENTITY, (("ses:FromAddress", "a@example.com"),)), False),
    ],
)
def test_a_request_is_allowed(statements: list[Any], request_: Request, expected: bool) -> None:
    assert Role(statements).allows(request_) is expected


def test_an_operator_that_is_not_known_is_no_right() -> None:
    statement = {**allow("dynamodb:GetItem", TABLE), "Condition": {"NumericLessThan": {"a": 1}}}
    with pytest.raises(KeyError, match="NumericLessThan"):
        Role([statement]).allows(Request("dynamodb:GetItem", "${TasksTable.Arn}"))


def test_each_right_can_be_taken_away_by_itself() -> None:
    statement = allow(["s3:GetObject", "s3:PutObject"], [TABLE, BUCKET])
    requests = {
        Request(action, resource)
        for action in ("s3:GetObject", "s3:PutObject")
        for resource in ("${TasksTable.Arn}", "${MediaBucket.Arn}")
    }
    denied = {
        Request(right.action, right.resource): {each for each in requests if not left.allows(each)}
        for right, left in Role([statement]).rights()
    }
    assert denied == {each: {each} for each in requests}


@pytest.mark.parametrize(
    ("service", "operation", "params", "expected"),
    [
        (
            "dynamodb",
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "tollgate-taskstable"}},
                    {"ConditionCheck": {"TableName": "tollgate-taskstable"}},
                ]
            },
            ["dynamodb:PutItem on ${TasksTable.Arn}", "dynamodb:ConditionCheckItem on ${TasksTable.Arn}"],
        ),
        (
            "dynamodb",
            "Query",
            {"TableName": "tollgate-taskstable", "IndexName": "DueIndex"},
            ["dynamodb:Query on ${TasksTable.Arn}/index/DueIndex"],
        ),
        (
            "s3",
            "ListObjectsV2",
            {"Bucket": "tollgate-mediabucket", "Prefix": "inputs/"},
            ["s3:ListBucket on ${MediaBucket.Arn}, s3:prefix=inputs/"],
        ),
        (
            "s3",
            "PutObject",
            {"Bucket": "tollgate-mediabucket", "Key": "a", "IfMatch": "e"},
            ["s3:PutObject on ${MediaBucket.Arn}/a", "s3:GetObject on ${MediaBucket.Arn}/a"],
        ),
        (
            "s3",
            "UploadPart",
            {"Bucket": "tollgate-mediabucket", "Key": "media/task_01M83V4MH4CMM2SQBPC5FAHQNN/0a1b2c3d-0.png"},
            ["s3:PutObject on ${MediaBucket.Arn}/media/task_ID/ID-ID.png"],
        ),
    ],
)
def test_what_a_call_needs(service: str, operation: str, params: Any, expected: list[str]) -> None:
    assert [str(each) for each in requests_of(service, operation, params, NAMES)] == expected


def test_that_an_object_is_missing_is_told_to_who_may_list_the_whole_bucket() -> None:
    asked = of_missing("tollgate-mediabucket", NAMES)
    assert not Role([LISTS_INPUTS]).allows(asked)
    assert Role([allow("s3:ListBucket", BUCKET)]).allows(asked)


@pytest.mark.parametrize("size", ["5", "70", "1048576"])
def test_files_of_every_size_are_one_resource(size: str) -> None:
    assert without_ids(f"inputs/usr_1/file_a-form-{size}.mp4") == "inputs/usr_1/file_a-form-ID.mp4"
