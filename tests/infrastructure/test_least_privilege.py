"""Each function may do what it does, and nothing else (style.md, habit 21; design §10)."""

import re

import pytest

from local.template import Properties, Template, as_list, named

ALLOWED = {
    "ApiFunction": {
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:PutItem", "TasksTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:PutItem", "IdempotencyTable"),
        ("lambda:InvokeFunction", "ProbeMediaFunction"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
    },
    "ProbeMediaFunction": set(),
    "TextFunction": {
        ("dynamodb:GetItem", "ApiKeysTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:GetItem", "LedgerTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("secretsmanager:GetSecretValue", "ProviderSecret"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
    },
    "DispatchChangesFunction": {
        ("dynamodb:DescribeStream", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:GetRecords", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:GetShardIterator", "${TasksTable.Arn}/stream/*"),
        ("dynamodb:ListStreams", "${TasksTable.Arn}/stream/*"),
        ("sqs:SendMessage", "TaskQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
        ("sqs:SendMessage", "ChangesDeadLetterQueue"),
    },
    "RunTaskFunction": {
        ("sqs:ReceiveMessage", "TaskQueue"),
        ("sqs:DeleteMessage", "TaskQueue"),
        ("sqs:GetQueueAttributes", "TaskQueue"),
        ("sqs:SendMessage", "TaskQueue"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:PutItem", "TasksTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:PutItem", "LedgerTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("s3:PutObject", "${MediaBucket.Arn}/*"),
        ("s3:AbortMultipartUpload", "${MediaBucket.Arn}/*"),
        ("secretsmanager:GetSecretValue", "ProviderSecret"),
        ("s3:GetObject", "${ConfigBucket.Arn}/catalog.json"),
        ("s3:ListBucket", "ConfigBucket"),
    },
    "DeliverWebhookFunction": {
        ("sqs:ReceiveMessage", "WebhookQueue"),
        ("sqs:DeleteMessage", "WebhookQueue"),
        ("sqs:GetQueueAttributes", "WebhookQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
        ("dynamodb:GetItem", "DeliveriesTable"),
        ("dynamodb:PutItem", "DeliveriesTable"),
        ("dynamodb:GetItem", "TasksTable"),
        ("dynamodb:GetItem", "AccountsTable"),
    },
    "SweepFunction": {
        ("dynamodb:Query", "${AccountsTable.Arn}/index/DueIndex"),
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:UpdateItem", "AccountsTable"),
        ("dynamodb:GetItem", "LedgerTable"),
        ("dynamodb:Query", "${TasksTable.Arn}/index/DueIndex"),
        ("dynamodb:UpdateItem", "TasksTable"),
        ("dynamodb:Query", "${DeliveriesTable.Arn}/index/DueIndex"),
        ("dynamodb:UpdateItem", "DeliveriesTable"),
        ("sqs:SendMessage", "TaskQueue"),
        ("sqs:SendMessage", "WebhookQueue"),
    },
    "CheckLedgerFunction": {
        ("dynamodb:GetItem", "AccountsTable"),
        ("dynamodb:Scan", "AccountsTable"),
        ("dynamodb:Query", "LedgerTable"),
    },
}

LOGS_AND_TRACES = {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"}
"""What SAM gives every function: it may write its log lines and its traces."""

BY_EVENT_SOURCE = {"DispatchChangesFunction": {"TasksTable", "ChangesDeadLetterQueue"}}
"""What a role may use for the event source mapping alone: the code has no name for it."""

WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}


class TestLeastPrivilege:
    @pytest.mark.parametrize("function", sorted(ALLOWED))
    def test_a_function_may_do_exactly_this(self, template: Template, function: str) -> None:
        assert template.permissions(function) == ALLOWED[function]

    def test_no_function_is_left_out(self, template: Template) -> None:
        assert set(template.functions()) == set(ALLOWED)

    def test_no_action_is_a_wildcard(self, template: Template) -> None:
        actions = {action for function in ALLOWED for action, _ in template.permissions(function)}
        assert not {action for action in actions if "*" in action}

    def test_every_resource_is_named(self, template: Template) -> None:
        resources = {resource for function in ALLOWED for _, resource in template.permissions(function)}
        assert not {resource for resource in resources if resource.startswith("*")}

    def test_managed_policies_are_those_for_logs_and_traces(self, template: Template) -> None:
        for function in template.functions():
            arns = {named(arn) for arn in as_list(template.role(function)["ManagedPolicyArns"])}
            assert {arn.rpartition("/")[2] for arn in arns} == LOGS_AND_TRACES

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            # The sweeper gives expired holds back; what they are settled by was recorded before.
            ("AccountsTable", {"ApiFunction", "TextFunction", "RunTaskFunction", "SweepFunction"}),
            ("LedgerTable", {"ApiFunction", "TextFunction", "RunTaskFunction"}),
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

    def test_no_function_writes_the_catalog(self, template: Template) -> None:
        allowed = {each for function in ALLOWED for each in template.permissions(function)}
        actions = {action for action, resource in allowed if "ConfigBucket" in resource}
        assert actions == {"s3:GetObject", "s3:ListBucket"}

    def test_nobody_deletes_a_row(self, template: Template) -> None:
        actions = {action for function in ALLOWED for action, _ in template.permissions(function)}
        assert not {action for action in actions if "Delete" in action and action != "sqs:DeleteMessage"}


class TestEnvironment:
    @pytest.mark.parametrize("function", sorted(ALLOWED))
    def test_a_function_knows_the_resources_that_it_may_use(self, template: Template, function: str) -> None:
        allowed = {_logical_id(resource) for _, resource in template.permissions(function)}
        assert _told(template.variables(function)) == allowed - BY_EVENT_SOURCE.get(function, set())

    def test_an_endpoint_is_set_only_where_an_emulator_is_named(self, template: Template) -> None:
        for function in template.functions():
            endpoint = template.variables(function)["AWS_ENDPOINT_URL"]
            assert endpoint == {"Fn::If": ["IsLocal", {"Ref": "LocalEndpoint"}, {"Ref": "AWS::NoValue"}]}

    @pytest.mark.parametrize("function", ["ApiFunction", "RunTaskFunction"])
    def test_what_picks_a_route_knows_the_live_providers(self, template: Template, function: str) -> None:
        assert template.variables(function)["LIVE_PROVIDERS"] == {"Ref": "LiveProviders"}


def _told(variables: Properties) -> set[str]:
    ends = ("_TABLE", "_QUEUE_URL", "_BUCKET", "_SECRET_ARN", "_FUNCTION")
    return {named(value) for name, value in variables.items() if name.endswith(ends)}


def _logical_id(resource: str) -> str:
    return re.split(r"[.}]", resource.removeprefix("${"))[0]
