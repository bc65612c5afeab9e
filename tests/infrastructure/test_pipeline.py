"""The pipeline and the role that it deploys with: what they may do, and that they fit each other."""

import json
import re
from typing import Any

import pytest
import yaml
from samtranslator.yaml_helper import yaml_parse

from local.deploy.deploy_role import GENERATED, ROLE, types
from local.template import ROOT, as_list

PIPELINE = ROOT / ".github/workflows/pipeline.yml"
STACK_NAME_MAX = 40
"""Letters (docs/deploy.md#parameters)."""
POLICY_MAX = 6_144
"""Characters of a managed policy, white space not counted (AWS: IAM and STS quotas)."""
POLICIES_MAX = 10
"""Managed policies of one role (the same page)."""
RUN_ID = "123456789012"
"""GitHub's run ids have eleven digits now."""


@pytest.fixture(scope="module")
def role() -> dict[str, Any]:
    """Return deploy-role.yaml."""
    found: dict[str, Any] = yaml_parse(ROLE.read_text())
    return found


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    """Return the jobs of the pipeline."""
    found: dict[str, Any] = yaml.safe_load(PIPELINE.read_text())["jobs"]
    return found


def steps(jobs: dict[str, Any], key: str) -> list[str]:
    """Return what all steps have under a key: `run` or `uses`."""
    return [step[key] for job in jobs.values() for step in job["steps"] if key in step]


def allowed(role: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return each right of the role: an action and a resource."""
    policies = [each["Properties"] for each in role["Resources"].values() if "ManagedPolicy" in each["Type"]]
    return [
        (action, resource)
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        for action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
    ]


class TestRole:
    def test_its_rights_are_for_the_resource_types_of_the_template(self) -> None:
        found = GENERATED.search(ROLE.read_text())
        assert found
        named = re.findall(r"AWS::\w+::\w+", found[0].partition("  Rights1:")[0])
        assert named == types(), "make deploy-role"

    def test_it_may_make_roles_of_its_stacks_alone(self, role: dict[str, Any]) -> None:
        beyond = {
            (action, str(resource))
            for action, resource in allowed(role)
            if action.startswith("iam:") and "role/${StackPrefix}-*" not in str(resource)
        }
        aws_roles = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/aws-service-role/*"
        assert beyond == {("iam:CreateServiceLinkedRole", str({"Fn::Sub": aws_roles}))}

    @pytest.mark.parametrize("service", ["dynamodb", "s3", "sqs", "sns", "cloudformation"])
    def test_it_reaches_no_data_of_other_stacks(self, role: dict[str, Any], service: str) -> None:
        resources = {str(resource) for action, resource in allowed(role) if action.startswith(f"{service}:")}
        own = ("${StackPrefix}-*", "aws-sam-cli-managed-default", "transform/Serverless-2016-10-31")
        assert resources
        assert [each for each in resources if not any(name in each for name in own)] == []

    def test_each_right_is_a_single_action(self, role: dict[str, Any]) -> None:
        assert [action for action, _ in allowed(role) if "*" in action] == []

    def test_the_policies_fit(self, role: dict[str, Any]) -> None:
        policies = [each for each in role["Resources"].values() if "ManagedPolicy" in each["Type"]]
        sizes = [
            len(re.sub(r"\s", "", json.dumps(each["Properties"]["PolicyDocument"]))) for each in policies
        ]
        assert 0 < len(sizes) <= POLICIES_MAX
        assert max(sizes) <= POLICY_MAX

    def test_one_environment_of_one_repository_may_take_it(self, role: dict[str, Any]) -> None:
        (trust,) = role["Resources"]["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        issuer = "token.actions.githubusercontent.com"
        assert trust["Action"] == "sts:AssumeRoleWithWebIdentity"
        assert trust["Condition"] == {
            "StringEquals": {
                f"{issuer}:aud": "sts.amazonaws.com",
                f"{issuer}:sub": {"Fn::Sub": "repo:${Repository}:environment:${Environment}"},
            }
        }


class TestPipeline:
    def test_every_action_is_named_by_its_commit(self, jobs: dict[str, Any]) -> None:
        assert [used for used in steps(jobs, "uses") if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", used)] == []
        assert len(re.findall(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+\n", PIPELINE.read_text())) == len(
            steps(jobs, "uses")
        )

    def test_every_step_is_a_command_of_the_makefile(self, jobs: dict[str, Any]) -> None:
        targets = set(re.findall(r"^([a-z0-9-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
        called = [re.sub(r'\w+=("[^"]*"|\S+)', "", run).split() for run in steps(jobs, "run")]
        assert all(words[0] == "make" and set(words[1:]) <= targets for words in called), called
        assert {"check", "test", "build", "throwaway", "throwaway-deploy", "e2e", "throwaway-delete"} <= {
            target for words in called for target in words[1:]
        }

    def test_no_key_is_stored(self, jobs: dict[str, Any]) -> None:
        assert "secrets." not in PIPELINE.read_text()
        taking = {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})}
        assert taking == {"try", "delete"}

    def test_every_job_ends(self, jobs: dict[str, Any]) -> None:
        assert all(job["timeout-minutes"] <= 90 for job in jobs.values())

    def test_the_stack_is_deleted_however_its_try_ended(self, jobs: dict[str, Any]) -> None:
        assert jobs["delete"]["needs"] == "try"
        assert jobs["delete"]["if"] == "always() && needs.try.result != 'skipped'"
        assert jobs["delete"]["steps"][-1]["run"] == "make throwaway-delete"

    def test_strangers_changes_are_checked_and_never_deployed(self, jobs: dict[str, Any]) -> None:
        assert jobs["try"]["if"] == "github.event_name != 'pull_request' && vars.AWS_ROLE_ARN != ''"
        assert "pull_request_target" not in PIPELINE.read_text()

    def test_one_stack_at_a_time(self, jobs: dict[str, Any]) -> None:
        assert jobs["try"]["concurrency"] == {"group": "tollgate-try"}

    def test_the_role_is_for_its_environment_its_stacks_and_its_time(
        self, jobs: dict[str, Any], role: dict[str, Any]
    ) -> None:
        parameters = role["Parameters"]
        longest = role["Resources"]["DeployRole"]["Properties"]["MaxSessionDuration"]
        stack: str = yaml.safe_load(PIPELINE.read_text())["env"]["STACK"]
        name = re.sub(r"\$\{\{ github\.run_attempt \}\}", "9", stack)
        name = re.sub(r"\$\{\{ github\.run_id \}\}", RUN_ID, name)
        assert name.startswith(f"{parameters['StackPrefix']['Default']}-")
        assert len(name) <= STACK_NAME_MAX
        for job in ("try", "delete"):
            (credentials,) = [
                step["with"] for step in jobs[job]["steps"] if "role-to-assume" in step.get("with", {})
            ]
            assert jobs[job]["environment"] == parameters["Environment"]["Default"]
            assert jobs[job]["timeout-minutes"] * 60 <= credentials["role-duration-seconds"] <= longest
