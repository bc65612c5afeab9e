"""A throw-away stack goes with all its files; one that keeps its data is refused."""

from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from local.deploy import throwaway
from local.deploy.throwaway import KEPT, delete, deploy, emptied
from local.machine.clients import REGION
from local.processes import LocalError

STACK = "tollgate-try"
TEMPLATE = "Resources:\n  Files:\n    Type: AWS::S3::Bucket\n    {policy}\n"
THROWN_AWAY = TEMPLATE.format(policy="DeletionPolicy: Delete")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, ...]]]:
    """Use an account in moto; return what the SAM CLI was asked to do there, all of it done."""
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(throwaway, "_sam", sam_that_ends_with(0, asked))
    with mock_aws():
        yield asked


def sam_that_ends_with(code: int, asked: list[tuple[str, ...]]) -> Callable[..., int]:
    """Return a SAM CLI that notes what it is asked to do, and does nothing."""

    def sam(*words: str) -> int:
        asked.append(words)
        return code

    return sam


def made(template: str) -> str:
    """Make the stack, and return the name of its bucket."""
    cloudformation = boto3.client("cloudformation", REGION)
    cloudformation.create_stack(StackName=STACK, TemplateBody=template)
    (resource,) = cloudformation.list_stack_resources(StackName=STACK)["StackResourceSummaries"]
    return resource["PhysicalResourceId"]


class TestDelete:
    def test_its_buckets_are_emptied_first(self, account: list[tuple[str, ...]]) -> None:
        bucket = made(THROWN_AWAY)
        s3 = boto3.client("s3", REGION)
        s3.put_object(Bucket=bucket, Key="media/a.png", Body=b"x")
        delete(STACK)
        assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
        assert account == [("delete", "--stack-name", STACK, "--no-prompts")]

    def test_a_stack_that_keeps_its_data_is_refused_and_keeps_its_files(
        self, account: list[tuple[str, ...]]
    ) -> None:
        bucket = made(TEMPLATE.format(policy=KEPT))
        s3 = boto3.client("s3", REGION)
        s3.put_object(Bucket=bucket, Key="media/a.png", Body=b"x")
        with pytest.raises(LocalError, match="it is no throw-away stack"):
            delete(STACK)
        assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 1
        assert account == []

    def test_a_stack_that_is_gone_is_deleted_already(
        self, account: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
    ) -> None:
        delete(STACK)
        assert capsys.readouterr().out == "tollgate-try is not there\n"
        assert account == []

    def test_it_is_tried_again_so_often_and_then_told(
        self, account: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made(THROWN_AWAY)
        monkeypatch.setattr(throwaway, "_sam", sam_that_ends_with(1, account))
        with pytest.raises(LocalError, match="could not be deleted"):
            delete(STACK)
        assert len(account) == throwaway.DELETE_ATTEMPTS


class TestEmptied:
    def test_older_versions_and_deletions_go_too(self, account: list[tuple[str, ...]]) -> None:
        s3 = boto3.client("s3", REGION)
        s3.create_bucket(Bucket="files")
        s3.put_bucket_versioning(Bucket="files", VersioningConfiguration={"Status": "Enabled"})
        for body in (b"1", b"2"):
            s3.put_object(Bucket="files", Key="catalog.json", Body=body)
        s3.delete_object(Bucket="files", Key="catalog.json")
        assert emptied(s3, "files") == 3
        s3.delete_bucket(Bucket="files")


class TestDeploy:
    def test_a_template_that_keeps_its_data_is_refused(
        self, account: list[tuple[str, ...]], tmp_path: Path
    ) -> None:
        template = tmp_path / "template.yaml"
        template.write_text(TEMPLATE.format(policy=KEPT))
        with pytest.raises(LocalError, match="run `make throwaway` first"):
            deploy(STACK, template)
        template.write_text(THROWN_AWAY)
        deploy(STACK, template, ["Stage=dev"])
        assert account[0][:3] == ("deploy", "--stack-name", STACK)
        assert account[0][-2:] == ("--parameter-overrides", "Stage=dev")
