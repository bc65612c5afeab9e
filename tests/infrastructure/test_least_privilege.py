"""Each function may do what it does, and nothing else (docs/architecture.md#security)."""

import re

import pytest

from local.template import Properties, Template, as_list, named
from tollgate.command.place import DEAD_LETTER_QUEUES

IDENTITIES = "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"
CLAUDE_MODELS = "arn:${AWS::Partition}:bedrock:*::foundation-model/anthropic.*"
CLAUDE_PROFILES = (
    "arn:${AWS::Partition}:bedrock:${AWS::Region}:${AWS::AccountId}:inference-profile/global.anthropic.*"
)
"""Bedrock's models and profiles are AWS's own: no resource of the stack."""

ALLOWED = {
    "ApiFunction": {
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:PutItem", "ApiKeysTable"),
        ("dynamodb:UpdateItem", "ApiKeysTable"),
        ("dynamodb:Query", "${ApiKeysTable.Arn}/index/AccountIndex"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:PutItem", "TasksTable"),
        ("dynamodb:BatchGetItem", "LedgerTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:Query", "${LedgerTable.Arn}/index/TimeIndex"),
        ("dynamodb:Query", "UsageTable"),
        ("dynamodb:PutItem", "IdempotencyTable"),
        ("secretsmanager:GetSecretValue", "StripeSecret"),
        ("dynamodb:GetItem", "DeliveriesTable"),
        ("dynamodb:BatchGetItem", "DeliveriesTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("dynamodb:Query", "${DeliveriesTable.Arn}/index/AccountIndex"),
        ("sqs:SendMessage", "WebhookQueue"),
        ("lambda:InvokeFunction", "ProbeMediaFunction"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
        ("dynamodb:BatchGetItem", "TasksTable"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/AccountIndex"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/WaitingIndex"),
        ("sqs:SendMessage", "TaskQueue"),
        ("s3:PutObject", "${MediaBucket.Arn}/inputs/*"),
        ("s3:GetObject", "${MediaBucket.Arn}/inputs/*"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/inputs/*"),
        ("s3:GetObject", "${MediaBucket.Arn}/media/*"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/media/*"),
        ("s3:ListBucket", "MediaBucket"),
        ("dynamodb:GetItem", "WatchesTable"),
        ("dynamodb:PutItem", "WatchesTable"),
        ("dynamodb:Query", "AuditTable"),
        ("dynamodb:PutItem", "AuditTable"),
    },
    "GetStatusFunction": {
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:UpdateItem", "ApiKeysTable"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/WaitingIndex"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
    },
    "ProbeMediaFunction": set(),
    "DrawThumbnailFunction": set(),
    "MakeThumbnailsFunction": {
        ("sqs:ReceiveMessage", "ThumbnailQueue"),
        ("sqs:DeleteMessage", "ThumbnailQueue"),
        ("sqs:GetQueueAttributes", "ThumbnailQueue"),
        ("s3:GetObject", "${MediaBucket.Arn}/media/*"),
        ("s3:ListBucket", "MediaBucket"),
        ("s3:PutObject", "${MediaBucket.Arn}/media/*.thumb.webp"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/media/*.thumb.webp"),
        ("lambda:InvokeFunction", "DrawThumbnailFunction"),
    },
    "TextFunction": {
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:UpdateItem", "ApiKeysTable"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:GetItem", "ResponsesTable"),
        ("dynamodb:PutItem", "ResponsesTable"),
        ("dynamodb:UpdateItem", "ResponsesTable"),
        ("s3:GetObject", "${MediaBucket.Arn}/responses/*"),
        ("s3:PutObject", "${MediaBucket.Arn}/responses/*"),
        ("secretsmanager:GetSecretValue", "ProviderSecret"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
        ("bedrock:InvokeModel", CLAUDE_PROFILES),
        ("bedrock:InvokeModel", CLAUDE_MODELS),
        ("bedrock:InvokeModelWithResponseStream", CLAUDE_PROFILES),
        ("bedrock:InvokeModelWithResponseStream", CLAUDE_MODELS),
    },
    "DispatchChangesFunction": {
        ("dynamodb:DescribeStream", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:GetRecords", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:GetShardIterator", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:ListStreams", "${TasksTable.Arn}/stream/*"),
        ("sqs:SendMessage", "TaskQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
        ("sqs:SendMessage", "ThumbnailQueue"),
        ("sqs:SendMessage", "MailQueue"),
        ("dynamodb:DescribeStream", "${AuditTable.Arn}/stream/*"),
        ("dynamodb:GetRecords", "${AuditTable.Arn}/stream/*"),
        ("dynamodb:GetShardIterator", "${AuditTable.Arn}/stream/*"),
        ("dynamodb:ListStreams", "${AuditTable.Arn}/stream/*"),
        ("sqs:SendMessage", "ChangesDeadLetterQueue"),
    },
    "RunTaskFunction": {
        ("sqs:ReceiveMessage", "TaskQueue"),
        ("sqs:DeleteMessage", "TaskQueue"),
        ("sqs:GetQueueAttributes", "TaskQueue"),
        ("sqs:SendMessage", "TaskQueue"),
        ("sqs:ReceiveMessage", "PollQueue"),
        ("sqs:DeleteMessage", "PollQueue"),
        ("sqs:GetQueueAttributes", "PollQueue"),
        ("sqs:SendMessage", "PollQueue"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:PutItem", "TasksTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("s3:PutObject", "${MediaBucket.Arn}/*"),
        ("s3:AbortMultipartUpload", "${MediaBucket.Arn}/*"),
        ("s3:GetObject", "${MediaBucket.Arn}/inputs/*"),
        ("secretsmanager:GetSecretValue", "ProviderSecret"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/WaitingIndex"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:Scan", "ProvidersTable"),
        ("dynamodb:UpdateItem", "ProvidersTable"),
    },
    "DeliverWebhookFunction": {
        ("sqs:ReceiveMessage", "WebhookQueue"),
        ("sqs:DeleteMessage", "WebhookQueue"),
        ("sqs:GetQueueAttributes", "WebhookQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
        ("dynamodb:GetItem", "DeliveriesTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("dynamodb:PutItem", "WebhookLanesTable"),
        ("dynamodb:UpdateItem", "WebhookLanesTable"),
        ("dynamodb:PutItem", "AuditTable"),
        ("dynamodb:PutItem", "IdempotencyTable"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:GetItem", "AccountsTable"),
    },
    "RecordUsageFunction": {
        ("dynamodb:DescribeStream", "${LedgerTable.Arn}/stream/*"),
        ("dynamodb:GetRecords", "${LedgerTable.Arn}/stream/*"),
        ("dynamodb:GetShardIterator", "${LedgerTable.Arn}/stream/*"),
        ("dynamodb:ListStreams", "${LedgerTable.Arn}/stream/*"),
        ("dynamodb:GetItem", "UsageTable"),
        ("dynamodb:PutItem", "UsageTable"),
        ("dynamodb:BatchGetItem", "CountedEntriesTable"),
        ("dynamodb:PutItem", "CountedEntriesTable"),
        ("sqs:SendMessage", "UsageDeadLetterQueue"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:BatchGetItem", "LedgerTable"),
        ("dynamodb:GetItem", "WatchesTable"),
        ("dynamodb:PutItem", "WatchesTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("sqs:SendMessage", "RefillQueue"),
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:PutItem", "AuditTable"),
        ("dynamodb:PutItem", "IdempotencyTable"),
    },
    "RefillBalanceFunction": {
        ("sqs:ReceiveMessage", "RefillQueue"),
        ("sqs:DeleteMessage", "RefillQueue"),
        ("sqs:GetQueueAttributes", "RefillQueue"),
        ("dynamodb:GetItem", "MembersTable"),
        ("dynamodb:BatchGetItem", "IdentitiesTable"),
        ("dynamodb:GetItem", "WatchesTable"),
        ("dynamodb:PutItem", "WatchesTable"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("secretsmanager:GetSecretValue", "StripeSecret"),
        ("ses:SendEmail", IDENTITIES),
    },
    "NotifyMembersFunction": {
        ("sqs:ReceiveMessage", "MailQueue"),
        ("sqs:DeleteMessage", "MailQueue"),
        ("sqs:GetQueueAttributes", "MailQueue"),
        ("dynamodb:GetItem", "AuditTable"),
        ("dynamodb:PutItem", "AuditTable"),
        ("dynamodb:GetItem", "MembersTable"),
        ("dynamodb:Scan", "MembersTable"),
        ("dynamodb:BatchGetItem", "IdentitiesTable"),
        ("dynamodb:GetItem", "IdempotencyTable"),
        ("dynamodb:PutItem", "IdempotencyTable"),
        ("dynamodb:UpdateItem", "IdempotencyTable"),
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:Query", "${ApiKeysTable.Arn}/index/ExpiryIndex"),
        ("dynamodb:Query", "${LedgerTable.Arn}/index/TimeIndex"),
        ("ses:SendEmail", IDENTITIES),
    },
    "SweepFunction": {
        ("dynamodb:Query", "${AccountsTable.Arn}/index/DueIndex"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/DueIndex"),
        ("dynamodb:UpdateItem", "TasksTable"),
        ("dynamodb:Query", "${DeliveriesTable.Arn}/index/DueIndex"),
        ("dynamodb:UpdateItem", "DeliveriesTable"),
        ("dynamodb:Scan", "ProvidersTable"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
        ("sqs:SendMessage", "TaskQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
    },
    "CloseAccountsFunction": {
        ("dynamodb:Query", "${MembersTable.Arn}/index/DueIndex"),
        *((f"dynamodb:{action}Item", "MembersTable") for action in ("Get", "Put", "Delete")),
        *((f"dynamodb:{action}Item", "IdentitiesTable") for action in ("Get", "Put", "Update", "Delete")),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:UpdateItem", "ApiKeysTable"),
        ("dynamodb:Query", "${ApiKeysTable.Arn}/index/AccountIndex"),
        ("dynamodb:Query", "AuditTable"),
        ("dynamodb:PutItem", "AuditTable"),
        ("dynamodb:UpdateItem", "AuditTable"),
        ("dynamodb:PutItem", "SessionsTable"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/AccountIndex"),
        ("dynamodb:DeleteItem", "TasksTable"),
        ("dynamodb:Query", "${DeliveriesTable.Arn}/index/AccountIndex"),
        ("dynamodb:DeleteItem", "DeliveriesTable"),
        ("dynamodb:DeleteItem", "WebhookLanesTable"),
        ("dynamodb:Query", "ResponsesTable"),
        ("dynamodb:DeleteItem", "ResponsesTable"),
        ("dynamodb:Query", "UsageTable"),
        ("dynamodb:DeleteItem", "UsageTable"),
        ("dynamodb:GetItem", "WatchesTable"),
        ("dynamodb:DeleteItem", "WatchesTable"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/media/*"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/inputs/*"),
        ("s3:DeleteObject", "${MediaBucket.Arn}/responses/*"),
        ("s3:ListBucket", "MediaBucket"),
        ("secretsmanager:GetSecretValue", "StripeSecret"),
    },
    "ServeMcpFunction": set(),
    "CheckLedgerFunction": {
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:Scan", "AccountsTable"),
        ("dynamodb:BatchGetItem", "LedgerTable"),
        ("dynamodb:Query", "LedgerTable"),
        ("dynamodb:Query", "${LedgerTable.Arn}/index/TimeIndex"),
        ("dynamodb:GetItem", "CheckpointsTable"),
        ("dynamodb:PutItem", "CheckpointsTable"),
    },
}

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

NEVER_ASKED = {"NotifyMembersFunction": {"AccountsTable"}}
"""What the parts of a function are joined with, and it asks nothing of."""

SIGN_IN = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/${AWS::StackName}/sign-in"

# The pages ask the services that the API asks, and let people in.
ALLOWED["DashboardFunction"] = ALLOWED["ApiFunction"] | {
    ("dynamodb:PutItem", "AccountsTable"),
    ("dynamodb:GetItem", "IdentitiesTable"),
    ("dynamodb:PutItem", "IdentitiesTable"),
    ("dynamodb:UpdateItem", "IdentitiesTable"),
    ("dynamodb:BatchGetItem", "IdentitiesTable"),
    ("dynamodb:GetItem", "MembersTable"),
    ("dynamodb:PutItem", "MembersTable"),
    ("dynamodb:BatchGetItem", "SessionsTable"),
    ("ses:SendEmail", IDENTITIES),
    ("dynamodb:Scan", "ProvidersTable"),
    ("dynamodb:GetItem", "SessionsTable"),
    ("dynamodb:PutItem", "SessionsTable"),
    ("secretsmanager:GetSecretValue", "SessionSecret"),
    ("ssm:GetParameter", SIGN_IN),
}

# The same services, and what an operator does beyond a customer.
ALLOWED["AdminFunction"] = ALLOWED["ApiFunction"] | {
    ("dynamodb:BatchGetItem", "SessionsTable"),
    ("dynamodb:GetItem", "MembersTable"),
    ("dynamodb:GetItem", "SessionsTable"),
    ("dynamodb:PutItem", "SessionsTable"),
    ("dynamodb:GetItem", "IdentitiesTable"),
    ("dynamodb:BatchGetItem", "IdentitiesTable"),
    ("secretsmanager:GetSecretValue", "SessionSecret"),
    ("dynamodb:Scan", "AccountsTable"),
    ("dynamodb:Query", "LedgerTable"),
    ("dynamodb:GetItem", "CheckpointsTable"),
    ("dynamodb:PutItem", "CheckpointsTable"),
    ("dynamodb:Scan", "ProvidersTable"),
    ("dynamodb:UpdateItem", "ProvidersTable"),
    ("s3:PutObject", "${ConfigBucket.Arn}/catalog.json"),
    *(
        (f"sqs:{action}", queue)
        for action in ("GetQueueAttributes", "ReceiveMessage", "DeleteMessage")
        for queue in DEAD_LETTER_QUEUES.values()
    ),
    ("sqs:SendMessage", "RefillQueue"),
    ("sqs:SendMessage", "MailQueue"),
    ("sqs:SendMessage", "ThumbnailQueue"),
    *(
        (f"dynamodb:{action}", f"${{{table}.Arn}}/stream/*")
        for action in ("GetShardIterator", "GetRecords")
        for table in ("TasksTable", "AuditTable", "LedgerTable")
    ),
    ("dynamodb:GetItem", "UsageTable"),
    ("dynamodb:PutItem", "UsageTable"),
    ("dynamodb:BatchGetItem", "CountedEntriesTable"),
    ("dynamodb:PutItem", "CountedEntriesTable"),
}

WITH_WILDCARD = {
    "${TasksTable.Arn}/stream/*": "ListStreams is asked for every stream that the table had",
    "${AuditTable.Arn}/stream/*": "as above",
    "${LedgerTable.Arn}/stream/*": "as above",
    "${MediaBucket.Arn}/*": "a file's key has its task's id",
    "${MediaBucket.Arn}/media/*": "a result's key has its task's id",
    "${MediaBucket.Arn}/media/*.thumb.webp": "as above",
    "${MediaBucket.Arn}/inputs/*": "an input's key has an id of its own",
    "${MediaBucket.Arn}/responses/*": "a stored response's key has its own",
    CLAUDE_MODELS: "any region may answer for a global profile, and a catalog may name another Claude",
    CLAUDE_PROFILES: "as above",
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
    "RefillBalanceFunction",
    "SweepFunction",
}
"""What posts to the ledger, and so moves balances: the sweeper, by giving expired holds back."""


class TestLeastPrivilege:
    @pytest.mark.parametrize("function", sorted(ALLOWED))
    def test_a_function_may_do_exactly_this(self, template: Template, function: str) -> None:
        assert template.permissions(function) == ALLOWED[function]

    def test_no_function_is_left_out(self, template: Template) -> None:
        assert set(template.functions()) == set(ALLOWED)

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

    def test_the_ledger_is_append_only(self, template: Template) -> None:
        writes = {
            action
            for function in template.functions()
            for action, resource in template.permissions(function)
            if resource == "LedgerTable" and action in WRITES
        }
        assert writes == {"dynamodb:PutItem"}

    def test_only_the_operators_desk_writes_the_catalog(self, template: Template) -> None:
        writes = {
            function
            for function in template.functions()
            for action, resource in template.permissions(function)
            if "ConfigBucket" in resource and action not in {"s3:GetObject", "s3:ListBucket"}
        }
        assert writes == {"AdminFunction"}

    @pytest.mark.parametrize("function", sorted(ALLOWED))
    def test_a_function_writes_no_log_but_its_own(self, template: Template, function: str) -> None:
        # SAM's managed policy opens every group of the account; a Deny is stronger.
        denied = [each for each in template.statements(function) if each["Effect"] == "Deny"]
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
    @pytest.mark.parametrize("function", sorted(ALLOWED))
    def test_a_function_knows_the_resources_that_it_may_use(self, template: Template, function: str) -> None:
        resources = {resource for _, resource in template.permissions(function)}
        ours = resources - {CLAUDE_MODELS, CLAUDE_PROFILES, SIGN_IN, IDENTITIES}
        allowed = {_logical_id(resource) for resource in ours}
        assert _told(template.variables(function)) == (
            allowed - BY_EVENT_SOURCE.get(function, set())
        ) | NEVER_ASKED.get(function, set())

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
    ends = ("_TABLE", "_QUEUE_URL", "_DLQ_URL", "_BUCKET", "_SECRET_ARN", "_FUNCTION")
    return {named(value) for name, value in variables.items() if name.endswith(ends)}


def _logical_id(resource: str) -> str:
    return re.split(r"[.}]", resource.removeprefix("${"))[0]
