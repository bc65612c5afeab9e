"""Laws of all rights (docs/architecture.md#security). Which rights a function needs: `test_rights.py`."""

import re

import pytest

from local.template import Properties, Template, as_list, named, on_aws

IDENTITIES = "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"
EXPORT_ROLES = "arn:${AWS::Partition}:iam::*:role/tollgate-export*"
CLAUDE_MODELS = "arn:${AWS::Partition}:bedrock:*::foundation-model/anthropic.*"
CLAUDE_PROFILES = (
    "arn:${AWS::Partition}:bedrock:${AWS::Region}:${AWS::AccountId}:inference-profile/global.anthropic.*"
)
"""Bedrock's models and profiles are AWS's own: no resource of the stack."""

LOGS_AND_TRACES = {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"}
"""What SAM gives every function: it may write its log lines and its traces."""

BY_EVENT_SOURCE = {
    "DispatchChangesFunction": {"TasksTable", "AuditTable", "ChangesDeadLetterQueue"},
    "RecordUsageFunction": {"UsageDeadLetterQueue"},
    "RefillBalanceFunction": {"RefillQueue"},
    "NotifyMembersFunction": {"MailQueue"},
    "MakeThumbnailsFunction": {"ThumbnailQueue"},
}
"""What a role may use for the event source mapping alone: the code has no name for it."""

BY_ISSUER = {"DashboardFunction": {"UserPool"}}
"""What the code knows from another value: the sign-in's parameter has the issuer, which names the pool."""

NEVER_ASKED = {
    "NotifyMembersFunction": {"AccountsTable"},
    "AdminFunction": {"MediaBucket", "StripeSecret"},
}
"""What the parts of a function are joined with, and it asks nothing of."""

SIGN_IN = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/${AWS::StackName}/sign-in"

VISITOR = SIGN_IN.replace("sign-in", "visitor")

WITH_WILDCARD = {
    "${TasksTable.Arn}/stream/*": "ListStreams is asked for every stream that the table had",
    "${AuditTable.Arn}/stream/*": "as above",
    "${LedgerTable.Arn}/stream/*": "as above",
    "${MediaBucket.Arn}/media/*": "a result's key has its task's id",
    "${MediaBucket.Arn}/media/*.thumb.webp": "as above",
    "${MediaBucket.Arn}/private/*": "as above",
    "${MediaBucket.Arn}/private/*.thumb.webp": "as above",
    "${MediaBucket.Arn}/inputs/*": "an input's key has an id of its own",
    "${MediaBucket.Arn}/inputs/kept/*": "as above, of a file that decided a price",
    "${MediaBucket.Arn}/responses/*/msgbatch_*": "a batch's results have its id",
    "${MediaBucket.Arn}/responses/*": "a stored response's key has its own",
    CLAUDE_MODELS: "any region may answer for a global profile, and a catalog may name another Claude",
    CLAUDE_PROFILES: "as above",
    EXPORT_ROLES: "a role of any customer's account; another statement denies those of this account",
    IDENTITIES: "the sender may be verified by its address or its domain; the condition names the address",
}
"""The resources that cannot be named one by one, and why."""

WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}


POSTING = {
    "AdminFunction",
    "ApiFunction",
    "CloseAccountsFunction",
    "DashboardFunction",
    "TextFunction",
    "RunTaskFunction",
    "RunBatchFunction",
    "RunResponseFunction",
    "RefillBalanceFunction",
    "SweepFunction",
}
"""What posts to the ledger, and so moves balances: the sweeper, by giving expired holds back."""


class TestLeastPrivilege:
    def test_no_action_is_a_wildcard(self, template: Template) -> None:
        assert not {action for action, _ in _everything(template) if "*" in action}

    def test_a_resource_with_a_wildcard_has_a_reason(self, template: Template) -> None:
        assert {resource for _, resource in _everything(template) if "*" in resource} == WITH_WILDCARD.keys()

    @pytest.mark.parametrize("function", ["ProbeMediaFunction", "DrawThumbnailFunction"])
    def test_what_reads_strangers_files_may_do_nothing(self, template: Template, function: str) -> None:
        assert template.permissions(function) == set()
        assert _told(template.variables(function)) == set()

    def test_only_what_answers_requests_touches_keys(self, template: Template) -> None:
        may = {
            function
            for function in template.functions()
            for _, resource in template.permissions(function)
            if "ApiKeysTable" in resource
        }
        assert may <= {
            "AdminFunction",
            "ApiFunction",
            # It revokes keys
            "CloseAccountsFunction",
            "GetStatusFunction",
            "TextFunction",
            # The key of a batch, before each line
            "RunBatchFunction",
            "DashboardFunction",
            # They tell of caps that are nearly used up, and of keys that expire
            "RecordUsageFunction",
            "NotifyMembersFunction",
        }

    def test_managed_policies_are_those_for_logs_and_traces(self, template: Template) -> None:
        for function in template.functions():
            arns = {named(arn) for arn in as_list(template.role(function)["ManagedPolicyArns"])}
            assert {arn.rpartition("/")[2] for arn in arns} == LOGS_AND_TRACES

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            ("AccountsTable", POSTING),
            ("LedgerTable", POSTING),
        ],
    )
    def test_only_these_write_money(self, template: Template, table: str, expected: set[str]) -> None:
        writers = {
            function
            for function in template.functions()
            for action, resource in template.permissions(function)
            if resource == table and action in WRITES
        }
        assert writers == expected

    @pytest.mark.parametrize(
        ("secret", "expected"),
        [
            # Decision 0006
            (
                "ProviderSecret",
                {"TextFunction", "RunBatchFunction", "RunResponseFunction", "RunTaskFunction"},
            ),
            ("SessionSecret", {"DashboardFunction", "AdminFunction"}),
        ],
    )
    def test_only_these_read_a_secret(self, template: Template, secret: str, expected: set[str]) -> None:
        readers = {
            function
            for function in template.functions()
            for _, resource in template.permissions(function)
            if resource == secret
        }
        assert readers == expected

    def test_the_ledger_is_append_only(self, template: Template) -> None:
        writes = {
            action
            for function in template.functions()
            for action, resource in template.permissions(function)
            if resource == "LedgerTable" and action in WRITES
        }
        assert writes == {"dynamodb:PutItem"}

    def test_only_the_operator_console_writes_the_catalog(self, template: Template) -> None:
        writes = {
            function
            for function in template.functions()
            for action, resource in template.permissions(function)
            if "ConfigBucket" in resource and action not in {"s3:GetObject", "s3:ListBucket"}
        }
        assert writes == {"AdminFunction"}

    def test_a_function_writes_no_log_but_its_own(self, template: Template) -> None:
        # SAM's managed policy opens every group of the account; a Deny is stronger.
        for function in template.functions():
            statements = [each for each in template.statements(function) if each["Effect"] == "Deny"]
            denied = [each for each in statements if "logs:" in str(each["Action"])]
            group = {"Fn::GetAtt": [function.replace("Function", "LogGroup"), "Arn"]}
            assert denied == [
                {
                    "Effect": "Deny",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                    "NotResource": group,
                },
                {"Effect": "Deny", "Action": "logs:CreateLogGroup", "Resource": "*"},
            ]

    def test_nobody_deletes_a_row_but_what_erases_closed_accounts(self, template: Template) -> None:
        others = set(template.functions()) - {"CloseAccountsFunction"}
        actions = {action for function in others for action, _ in template.permissions(function)}
        # Messages that are done with, and customers' own files, by themselves.
        harmless = {"sqs:DeleteMessage", "s3:DeleteObject"}
        assert not {action for action in actions if "Delete" in action and action not in harmless}
        # Money's tables are not among what it deletes from.
        deleted = {
            resource
            for action, resource in template.permissions("CloseAccountsFunction")
            if "Delete" in action
        }
        assert not deleted & {"AccountsTable", "LedgerTable", "AuditTable", "ApiKeysTable"}


class TestEnvironment:
    def test_a_function_knows_the_resources_that_it_may_use(self, template: Template) -> None:
        for function in template.functions():
            resources = {resource for _, resource in template.permissions(function)}
            ours = resources - {CLAUDE_MODELS, CLAUDE_PROFILES, SIGN_IN, VISITOR, IDENTITIES, EXPORT_ROLES}
            unnamed = BY_EVENT_SOURCE.get(function, set()) | BY_ISSUER.get(function, set())
            allowed = {_logical_id(resource) for resource in ours} - unnamed
            told = _told(template.variables(function)) - NEVER_ASKED.get(function, set())
            assert allowed - told == set(), f"{function} may use these, but no variable has their names"
            assert told - allowed == set(), f"{function} has variables of these, but may not use them"

    def test_an_endpoint_is_set_only_where_an_emulator_is_named(self, template: Template) -> None:
        for function in template.functions():
            endpoint = template.variables(function)["AWS_ENDPOINT_URL"]
            assert endpoint == {"Fn::If": ["IsLocal", {"Ref": "LocalEndpoint"}, {"Ref": "AWS::NoValue"}]}

    @pytest.mark.parametrize("function", ["ApiFunction", "RunTaskFunction"])
    def test_what_picks_a_route_knows_the_live_providers(self, template: Template, function: str) -> None:
        assert template.variables(function)["LIVE_PROVIDERS"] == {"Ref": "LiveProviders"}


def _everything(template: Template) -> set[tuple[str, str]]:
    """Return what any function may do."""
    return {each for function in template.functions() for each in template.permissions(function)}


def _told(variables: Properties) -> set[str]:
    ends = ("_TABLE", "_QUEUE_URL", "_DLQ_URL", "_BUCKET", "_SECRET_ARN", "_FUNCTION", "_POOL_ID")
    told = {named(on_aws(value)) for name, value in variables.items() if name.endswith(ends)}
    return told - {"AWS::NoValue"}


def _logical_id(resource: str) -> str:
    return re.split(r"[.}]", resource.removeprefix("${"))[0]
