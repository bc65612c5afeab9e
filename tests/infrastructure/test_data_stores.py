"""Tables, queues, the bucket, and what reads from them."""

import json
from fnmatch import fnmatch, fnmatchcase
from posixpath import normpath
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse

from local.deploy.throwaway import as_throwaway
from local.template import ROOT, Properties, Template, named
from tollgate.catalog.refresh import DOCUMENT_KEY
from tollgate.kit.aws.batches import MAX_AT_ONCE
from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.entries import EntryKind
from tollgate.notices.repository import LEASE_MS
from tollgate.text.responses.storage import LIFETIME_S
from tollgate.usage.counts import BALANCE_KINDS

TABLE = "AWS::DynamoDB::Table"
QUEUE = "AWS::SQS::Queue"
DAYS_14_S = 14 * 24 * 3600
EXPIRING = (
    "ApiKeysTable",  # The chat page's own; customers' keys have no end there.
    "AuditTable",  # Lines about access; those about changes have no end there.
    "CountedEntriesTable",
    "IdempotencyTable",
    "ResponsesTable",
    *("SessionsTable", "BudgetsTable"),
    "UsageTable",  # Measures of routes; statistics have no end there.
)

KEYS = {
    "AccountsTable": ["account_id"],
    "ApiKeysTable": ["key_id"],
    "IdentitiesTable": ["identity_id"],
    "MembersTable": ["account_id"],
    "SessionsTable": ["session_id"],
    "TasksTable": ["task_id"],
    "LedgerTable": ["account_id", "entry_id"],
    "CheckpointsTable": ["account_id"],
    "SealsTable": ["account_id", "item"],
    "UsageTable": ["account_id", "usage_day"],
    "BudgetsTable": ["account_id", "item"],
    "WatchesTable": ["account_id"],
    "AuditTable": ["account_id", "event_id"],
    "CountedEntriesTable": ["entry_id"],
    "IdempotencyTable": ["idempotency_id"],
    "DeliveriesTable": ["delivery_id"],
    "ProvidersTable": ["provider"],
    "WebhookLanesTable": ["account_id"],
    "ResponsesTable": ["account_id", "response_id"],
}
INDEXES = [
    # What is due, by shard and time; what an account has, by time.
    ("TasksTable", "DueIndex", "due_shard wake_at", ["seq"]),
    ("DeliveriesTable", "DueIndex", "due_shard wake_at", ["seq"]),
    ("TasksTable", "AccountIndex", "account_id task_id", "KEYS_ONLY"),
    ("DeliveriesTable", "AccountIndex", "account_id delivery_id", "KEYS_ONLY"),
    # Keys while they are listed; those that expire, by their day.
    ("ApiKeysTable", "AccountIndex", "account_id listed_at", "ALL"),
    ("ApiKeysTable", "ExpiryIndex", "expiry_day key_id", "KEYS_ONLY"),
    # An account's entries by time; whose payment it was, by its reference.
    ("LedgerTable", "TimeIndex", "account_id created_at_ms", "ALL"),
    ("LedgerTable", "ReferenceIndex", "reference", "KEYS_ONLY"),
    # Acts of operators in all accounts.
    ("AuditTable", "DeskIndex", "desk event_id", "ALL"),
]


class TestTables:
    def test_keys(self, template: Template) -> None:
        tables = template.of_type(TABLE)
        assert {name: _key_names(table) for name, table in tables.items()} == KEYS

    @pytest.mark.parametrize("table", sorted(KEYS))
    def test_a_table_can_be_restored_is_encrypted_and_paid_by_use(
        self, template: Template, table: str
    ) -> None:
        properties = template.of_type(TABLE)[table]
        assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
        assert properties["SSESpecification"]["SSEEnabled"] is True
        assert properties["BillingMode"] == "PAY_PER_REQUEST"

    @pytest.mark.parametrize("table", sorted(KEYS))
    def test_a_table_in_prod_cannot_be_deleted(self, template: Template, table: str) -> None:
        assert template.source["Conditions"]["IsProd"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}
        protection = template.of_type(TABLE)[table]["DeletionProtectionEnabled"]
        assert protection == {"Fn::If": ["IsProd", True, False]}

    @pytest.mark.parametrize(("table", "name", "keys", "projection"), INDEXES)
    def test_what_is_asked_for_is_found_by_an_index(
        self, template: Template, table: str, name: str, keys: str, projection: str | list[str]
    ) -> None:
        index = _indexes(template, table)[name]
        assert _key_names(index) == keys.split()
        some = {"ProjectionType": "INCLUDE", "NonKeyAttributes": projection}
        assert index["Projection"] == (
            {"ProjectionType": projection} if isinstance(projection, str) else some
        )

    @pytest.mark.parametrize("table", EXPIRING)
    def test_what_has_an_end_goes_away_by_themselves(self, template: Template, table: str) -> None:
        ttl = template.of_type(TABLE)[table]["TimeToLiveSpecification"]
        assert ttl == {"AttributeName": "expires_at_s", "Enabled": True}

    def test_money_and_tasks_never_go_away_by_themselves(self, template: Template) -> None:
        with_ttl = {
            name for name, table in template.of_type(TABLE).items() if "TimeToLiveSpecification" in table
        }
        assert with_ttl == set(EXPIRING)


class TestNothingIsLost:
    """What a stack operation, a slip of a template or `sam delete` must not take with it."""

    KEPT = (
        TABLE,
        "AWS::S3::Bucket",
        "AWS::SecretsManager::Secret",
        "AWS::Cognito::UserPool",
        "AWS::Backup::BackupVault",
    )

    @pytest.mark.parametrize("kind", KEPT)
    def test_what_holds_data_stays_when_the_stack_goes(self, template: Template, kind: str) -> None:
        found = {name: each for name, each in template.resources.items() if each["Type"] == kind}
        assert found
        for name, each in found.items():
            # A first deployment that fails leaves nothing behind; after that it is Retain.
            policies = (each.get("DeletionPolicy"), each.get("UpdateReplacePolicy"))
            assert policies == ("RetainExceptOnCreate", "Retain"), name

    def test_the_stack_policy_names_all_of_it_and_nothing_else(self, template: Template) -> None:
        _, deny = json.loads((ROOT / "stack-policy.json").read_text())["Statement"]
        assert (deny["Effect"], deny["Action"]) == ("Deny", ["Update:Replace", "Update:Delete"])
        patterns = [each.removeprefix("LogicalResourceId/") for each in deny["Resource"]]
        named_there = {name for name in template.resources if any(fnmatch(name, each) for each in patterns)}
        assert named_there == {name for name, each in template.resources.items() if each["Type"] in self.KEPT}

    def test_a_throw_away_stack_keeps_nothing(self) -> None:
        text = as_throwaway((ROOT / "template.yaml").read_text())
        kept = {
            name
            for name, each in yaml_parse(text)["Resources"].items()
            if "Retain" in str(each.get("DeletionPolicy"))
        }
        # Settings of the whole account, which hold no data
        assert kept == {"ApiLogsAccount", "ApiLogsRole"}

    def test_prod_is_backed_up_every_day_and_copied_where_a_vault_is_named(self, template: Template) -> None:
        (rule,) = template.of_type("AWS::Backup::BackupPlan")["BackupPlan"]["BackupPlan"]["BackupPlanRule"]
        assert rule["Lifecycle"] == {"DeleteAfterDays": 35}
        condition, (copied,), otherwise = rule["CopyActions"]["Fn::If"]
        assert (condition, otherwise) == ("HasBackupCopy", {"Ref": "AWS::NoValue"})
        assert named(copied["DestinationBackupVaultArn"]) == "BackupCopyVaultArn"
        selection = template.of_type("AWS::Backup::BackupSelection")["BackupSelection"]["BackupSelection"]
        money = {
            "AccountsTable",
            *("LedgerTable", "SealsTable"),
            "BudgetsTable",
            "TasksTable",
            "ApiKeysTable",
            "IdentitiesTable",
            "MembersTable",
        }
        assert {named(each) for each in selection["Resources"]} == money
        assert template.resources["BackupPlan"]["Condition"] == "IsProdOnAws"

    def test_no_name_is_taken_twice_in_an_account(self, template: Template) -> None:
        """These names are one list for all regions, in each of which may be a stack of one name."""
        regional = "${AWS::StackName}-${AWS::Region}"
        access = template.of_type("AWS::CloudFront::OriginAccessControl")["MediaAccessControl"]
        headers = template.of_type("AWS::CloudFront::ResponseHeadersPolicy")["MediaHeadersPolicy"]
        board = template.of_type("AWS::CloudWatch::Dashboard")["Operations"]
        assert named(access["OriginAccessControlConfig"]["Name"]) == f"{regional}-media"
        assert named(headers["ResponseHeadersPolicyConfig"]["Name"]) == f"{regional}-media"
        assert named(board["DashboardName"]) == regional

    def test_every_bucket_refuses_what_comes_without_tls(self, template: Template) -> None:
        policies = template.of_type("AWS::S3::BucketPolicy").values()
        refusing = {
            named(policy["Bucket"]) for policy in policies if "aws:SecureTransport" in json.dumps(policy)
        }
        assert refusing == set(template.of_type("AWS::S3::Bucket"))


class TestQueues:
    def test_every_queue_has_a_dead_letter_queue_after_5_receives(self, template: Template) -> None:
        queues = _working_queues(template)
        media = {"TaskQueue", "PollQueue", "WebhookQueue", "ThumbnailQueue"}
        assert set(queues) == media | {"RefillQueue", "MailQueue", "BatchQueue", "WorkflowQueue"}
        for name, queue in queues.items():
            redrive = queue["RedrivePolicy"]
            # One function reads both queues, so dead messages lie in one.
            of = name.replace("Poll", "Task").replace("Workflow", "Batch")
            assert named(redrive["deadLetterTargetArn"]) == of.replace("Queue", "DeadLetterQueue")
            assert redrive["maxReceiveCount"] == 5

    def test_dead_letters_are_kept_14_days(self, template: Template) -> None:
        for queue in _dead_letter_queues(template).values():
            assert queue["MessageRetentionPeriod"] == DAYS_14_S

    def test_every_queue_is_encrypted(self, template: Template) -> None:
        for queue in template.of_type(QUEUE).values():
            # By a key of one's own (tests/infrastructure/test_landing_zone.py), else by SQS's
            by_sqs = {"Fn::If": ["HasKey", {"Ref": "AWS::NoValue"}, True]}
            assert queue["SqsManagedSseEnabled"] == by_sqs

    def test_a_message_stays_hidden_six_times_as_long_as_its_function_may_run(
        self, template: Template
    ) -> None:
        # https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
        for source in _sources(template).values():
            queue = template.of_type(QUEUE).get(named(source["EventSourceArn"]))
            timeout = template.functions()[named(source["FunctionName"])]["Timeout"]
            window = source.get("MaximumBatchingWindowInSeconds", 0)
            assert queue is None or queue["VisibilityTimeout"] >= 6 * timeout + window

    def test_who_is_at_a_mail_is_not_taken_for_dead_while_it_may_run(self, template: Template) -> None:
        lease_s = LEASE_MS // MS_PER_S
        assert lease_s > template.functions()["NotifyMembersFunction"]["Timeout"]
        # And a message that comes again finds it let go.
        assert lease_s < template.of_type(QUEUE)["MailQueue"]["VisibilityTimeout"]


class TestEventSources:
    def test_every_source_reports_failures_one_by_one(self, template: Template) -> None:
        for source in _sources(template).values():
            assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]

    def test_the_tasks_stream(self, template: Template) -> None:
        source = _sources(template)["DispatchChangesSource"]
        assert named(source["EventSourceArn"]) == "TasksTable.StreamArn"
        assert named(source["DestinationConfig"]["OnFailure"]["Destination"]) == "ChangesDeadLetterQueue"
        assert {name: source[name] for name in source if isinstance(source[name], int | str)} == {
            "StartingPosition": "TRIM_HORIZON",
            "BatchSize": 100,
            "ParallelizationFactor": 2,
            "BisectBatchOnFunctionError": True,
            "MaximumRetryAttempts": 10,
            "MaximumRecordAgeInSeconds": 3600,
        }

    def test_the_stream_lets_through_new_tasks_and_ended_ones(self, template: Template) -> None:
        filters = _sources(template)["DispatchChangesSource"]["FilterCriteria"]["Filters"]
        ended = {"status": {"S": ["finished", "failed", "expired"]}}
        assert [json.loads(each["Pattern"]) for each in filters] == [
            {"eventName": ["INSERT"]},
            {"eventName": ["MODIFY"], "dynamodb": {"NewImage": ended}},
        ]

    def test_the_audit_logs_stream_lets_through_new_lines(self, template: Template) -> None:
        source = _sources(template)["DispatchAuditSource"]
        assert named(source["EventSourceArn"]) == "AuditTable.StreamArn"
        assert named(source["FunctionName"]) == "DispatchChangesFunction"
        assert named(source["DestinationConfig"]["OnFailure"]["Destination"]) == "ChangesDeadLetterQueue"
        assert {name: source[name] for name in source if isinstance(source[name], int | str)} == {
            "StartingPosition": "TRIM_HORIZON",
            "BatchSize": 100,
            "BisectBatchOnFunctionError": True,
            "MaximumRetryAttempts": 10_000,
            "MaximumRecordAgeInSeconds": 24 * 3600,
        }
        (pattern,) = source["FilterCriteria"]["Filters"]
        assert json.loads(pattern["Pattern"]) == {"eventName": ["INSERT"]}

    def test_the_ledgers_stream(self, template: Template) -> None:
        source = _sources(template)["RecordUsageSource"]
        assert named(source["EventSourceArn"]) == "LedgerTable.StreamArn"
        assert named(source["DestinationConfig"]["OnFailure"]["Destination"]) == "UsageDeadLetterQueue"
        a_day_s = 24 * 3600  # as long as a stream keeps anything
        assert {name: source[name] for name in source if isinstance(source[name], int | str)} == {
            "StartingPosition": "TRIM_HORIZON",
            "BatchSize": 1000,
            "MaximumBatchingWindowInSeconds": 1,
            "BisectBatchOnFunctionError": True,
            "MaximumRetryAttempts": 10_000,
            "MaximumRecordAgeInSeconds": a_day_s,
        }

    def test_the_ledgers_stream_lets_through_whatever_moves_a_balance(self, template: Template) -> None:
        (pattern,) = _sources(template)["RecordUsageSource"]["FilterCriteria"]["Filters"]
        wanted = json.loads(pattern["Pattern"])
        assert wanted["eventName"] == ["INSERT"]
        assert set(wanted["dynamodb"]["NewImage"]["kind"]["S"]) == set(EntryKind)
        assert set(EntryKind) - {EntryKind.VOID} == BALANCE_KINDS

    @pytest.mark.parametrize(
        ("name", "queue", "at_once"),
        [
            ("RunTaskSource", "TaskQueue", {"Ref": "TaskConcurrency"}),
            ("DeliverWebhookSource", "WebhookQueue", 50),
            ("RefillBalanceSource", "RefillQueue", 5),
            ("NotifyMembersSource", "MailQueue", 2),
        ],
    )
    def test_a_queue_is_read_by_one_message(
        self, template: Template, name: str, queue: str, at_once: Any
    ) -> None:
        source = _sources(template)[name]
        assert named(source["EventSourceArn"]) == queue
        assert source["BatchSize"] == 1
        assert source["ScalingConfig"] == {"MaximumConcurrency": at_once}

    def test_polls_are_read_by_ten(self, template: Template) -> None:
        source = _sources(template)["RunTaskPollSource"]
        assert named(source["EventSourceArn"]) == "PollQueue"
        assert named(source["FunctionName"]) == "RunTaskFunction"
        assert source["BatchSize"] == MAX_AT_ONCE
        assert source["ScalingConfig"] == {"MaximumConcurrency": {"Ref": "PollConcurrency"}}

    def test_the_schedules(self, template: Template) -> None:
        rules = template.of_type("AWS::Events::Rule")
        found = {
            (named(target["Arn"]), rule["ScheduleExpression"], target.get("Input"))
            for rule in rules.values()
            for target in rule["Targets"]
        }
        assert found == {
            ("SweepFunction", "rate(1 minute)", None),
            ("SweepFunction", "rate(1 day)", '{"catalog": true}'),
            ("CheckLedgerFunction", "rate(1 day)", None),
            ("CheckLedgerFunction", "rate(15 minutes)", '{"continue": true}'),
            ("VisitServiceFunction", "rate(15 minutes)", None),
            ("CloseAccountsFunction", "rate(15 minutes)", None),
            ("NotifyMembersFunction", "rate(1 hour)", None),
        }


class TestMedia:
    def test_the_bucket_is_private(self, template: Template) -> None:
        blocks = template.of_type("AWS::S3::Bucket")["MediaBucket"]["PublicAccessBlockConfiguration"]
        assert list(blocks.values()) == [True] * 4

    def test_only_our_distribution_reads_it(self, template: Template) -> None:
        policy = template.of_type("AWS::S3::BucketPolicy")["MediaBucketPolicy"]
        (*allowed, without_tls) = policy["PolicyDocument"]["Statement"]
        assert without_tls["Fn::If"][1]["Effect"] == "Deny"
        # Results alone: inputs/ is private to its account. The list makes a missing file 404 and not 403.
        assert [(each["Effect"], each["Action"], named(each["Resource"])) for each in allowed] == [
            ("Allow", "s3:GetObject", "${MediaBucket.Arn}/media/*"),
            ("Allow", "s3:ListBucket", "MediaBucket"),
        ]
        for statement in allowed:
            assert statement["Principal"] == {"Service": "cloudfront.amazonaws.com"}
            (source,) = statement["Condition"]["StringEquals"].values()
            assert named(source).endswith("/${MediaDistribution}")

    @pytest.mark.parametrize(
        ("path", "key"),
        [
            ("/media/task_1/a.png", "media/task_1/a.png"),
            ("/media/task_1/deleted.png", "media/task_1/deleted.png"),
            ("/", "media/nothing/"),
            ("//", "media/nothing//"),
            ("/media", "media/nothing/media"),
            ("/inputs/usr_1/a.png", "media/nothing/inputs/usr_1/a.png"),
            ("/responses/resp_1", "media/nothing/responses/resp_1"),
            ("/private/task_1/a.png", "media/nothing/private/task_1/a.png"),
            # CloudFront chooses by the path without its dots, and sends it as it came.
            ("/media/..", "media/nothing/media/.."),
            ("/media/../inputs/a", "media/nothing/media/../inputs/a"),
            ("/x/../media/a.png", "x/../media/a.png"),
        ],
    )
    def test_what_s3_is_asked_for_is_never_the_list_of_the_bucket(
        self, template: Template, path: str, key: str
    ) -> None:
        (distribution,) = template.of_type("AWS::CloudFront::Distribution").values()
        asked = asked_of_s3(distribution["DistributionConfig"], path)
        assert asked == f"/{key}"
        assert asked != "/"
        # No query is passed on: `?list-type=2` and `?versions` reach nobody.
        policy = template.of_type("AWS::CloudFront::CachePolicy")["MediaCachePolicy"]["CachePolicyConfig"]
        queries = policy["ParametersInCacheKeyAndForwardedToOrigin"]["QueryStringsConfig"]
        assert queries == {"QueryStringBehavior": "none"}

    def test_the_edges_keep_what_was_deleted_for_an_hour_at_most(self, template: Template) -> None:
        (distribution,) = template.of_type("AWS::CloudFront::Distribution").values()
        for behaviour in behaviours(distribution["DistributionConfig"]):
            assert behaviour["CachePolicyId"] == {"Ref": "MediaCachePolicy"}
        policy = template.of_type("AWS::CloudFront::CachePolicy")["MediaCachePolicy"]["CachePolicyConfig"]
        # site/tasks.md#delete-files
        assert policy["MaxTTL"] == 3600

    def test_a_broken_upload_is_not_kept(self, template: Template) -> None:
        rules = template.of_type("AWS::S3::Bucket")["MediaBucket"]["LifecycleConfiguration"]["Rules"]
        (rule,) = (each for each in rules if each.get("Id") == "abort-incomplete-uploads")
        assert (rule["Status"], rule["AbortIncompleteMultipartUpload"]) == (
            "Enabled",
            {"DaysAfterInitiation": 1},
        )

    def test_only_what_came_inside_requests_and_stored_responses_go_away_unasked(
        self, template: Template
    ) -> None:
        rules = template.of_type("AWS::S3::Bucket")["MediaBucket"]["LifecycleConfiguration"]["Rules"]
        expiring = [each for each in rules if "ExpirationInDays" in each]
        ends = {each["Prefix"]: each["ExpirationInDays"] for each in expiring}
        # A day longer than new batches may use them, and than the rows that name them.
        assert ends == {"inputs/": 7 + 1, "responses/": LIFETIME_S // (24 * 3600) + 1}
        asked = [each["Fn::If"] for each in rules if "Fn::If" in each]
        assert [(when, rule["Prefix"], other) for when, rule, other in asked] == [
            ("HasMediaRetention", folder, {"Ref": "AWS::NoValue"}) for folder in ("media/", "private/")
        ]

    def test_a_browser_may_show_files_and_never_run_them(self, template: Template) -> None:
        (policy,) = template.of_type("AWS::CloudFront::ResponseHeadersPolicy").values()
        headers = policy["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
        content = headers["ContentSecurityPolicy"]["ContentSecurityPolicy"]
        assert content == "default-src 'none'; media-src 'self'; img-src 'self'; sandbox"
        assert headers["ContentTypeOptions"] == {"Override": True}

    def test_files_are_read_over_https_only(self, template: Template) -> None:
        (distribution,) = template.of_type("AWS::CloudFront::Distribution").values()
        for behaviour in behaviours(distribution["DistributionConfig"]):
            assert behaviour["ViewerProtocolPolicy"] == "redirect-to-https"
            assert behaviour["AllowedMethods"] == ["GET", "HEAD"]


class TestConfig:
    def test_the_bucket_is_private_and_keeps_every_version(self, template: Template) -> None:
        bucket = template.of_type("AWS::S3::Bucket")["ConfigBucket"]
        assert list(bucket["PublicAccessBlockConfiguration"].values()) == [True] * 4
        assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
        assert "LifecycleConfiguration" not in bucket

    def test_nobody_else_reads_it(self, template: Template) -> None:
        policy = template.of_type("AWS::S3::BucketPolicy")["ConfigBucketPolicy"]
        assert {each["Effect"] for each in policy["PolicyDocument"]["Statement"]} == {"Deny"}

    def test_its_key_is_the_one_that_is_read_and_its_name_is_an_output(self, template: Template) -> None:
        for function in ("ApiFunction", "TextFunction", "RunTaskFunction"):
            allowed = template.permissions(function)
            assert ("s3:GetObject", f"${{ConfigBucket.Arn}}/{DOCUMENT_KEY}") in allowed
        assert named(template.source["Outputs"]["ConfigBucketName"]["Value"]) == "ConfigBucket"


def behaviours(distribution: Properties) -> list[Properties]:
    """Return all behaviours of a distribution, the default one last."""
    return [*distribution["CacheBehaviors"], distribution["DefaultCacheBehavior"]]


def asked_of_s3(distribution: Properties, path: str) -> str:
    """Return the path that CloudFront asks its origin for.

    Source: CloudFront Developer Guide, "Cache behavior settings", "Path pattern" and "Path normalization",
    and "Origin settings", "Origin path".
    """
    chosen = next(
        each for each in behaviours(distribution) if fnmatchcase(normpath(path), each.get("PathPattern", "*"))
    )
    origins = {each["Id"]: each.get("OriginPath", "") for each in distribution["Origins"]}
    return f"{origins[chosen['TargetOriginId']]}{path}"


def _indexes(template: Template, table: str) -> dict[str, Properties]:
    return {index["IndexName"]: index for index in template.of_type(TABLE)[table]["GlobalSecondaryIndexes"]}


def _key_names(table: Properties) -> list[str]:
    return [key["AttributeName"] for key in table["KeySchema"]]


def _sources(template: Template) -> dict[str, Properties]:
    return template.of_type("AWS::Lambda::EventSourceMapping")


def _dead_letter_queues(template: Template) -> dict[str, Any]:
    return {name: queue for name, queue in template.of_type(QUEUE).items() if "DeadLetter" in name}


def _working_queues(template: Template) -> dict[str, Any]:
    return {name: queue for name, queue in template.of_type(QUEUE).items() if "DeadLetter" not in name}
