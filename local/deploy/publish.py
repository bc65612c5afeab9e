"""A build that others create from a link, without a checkout: `make publish`.

    python -m local.deploy.publish BUCKET [TEMPLATE]     uploads the build, and prints the link

The link opens CloudFormation's console with the template
(https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html).
Lambda reads code only from a bucket in the region of the stack, so each region needs its own bucket.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlencode

import boto3

from local.deploy.build import BUILT, run_sam
from local.processes import LocalError
from tollgate.kit.version import VERSION

STACK = "tollgate"
PREFIX = f"{STACK}/{VERSION}"
"""The folder of a release in the bucket. Each file is named by its content, so old links stay valid."""
NAME_CHARACTERS = 16
MAX_TEMPLATE_BYTES = 1_000_000
"""What CloudFormation reads from a bucket
(https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html)."""
UPLOAD_TIMEOUT_S = 1_800
FIRST_REGION = "us-east-1"
"""S3 returns no location for a bucket in this region."""


def quick_create_url(region: str, template_url: str) -> str:
    """Return the link to the console's page that creates the stack, with the template's own defaults."""
    query = urlencode({"templateURL": template_url, "stackName": STACK}, quote_via=quote, safe="")
    return (
        f"https://{region}.console.aws.amazon.com/cloudformation/home?region={region}"
        f"#/stacks/create/review?{query}"
    )


def publish(bucket: str, template: Path = BUILT) -> str:
    """Upload a build and its template into a bucket of the environment's account; return the link.

    A second upload of the same build changes nothing. Raises `LocalError` if there is no build, if an upload
    fails, or if the template is larger than CloudFormation reads.
    """
    if not template.exists():
        raise LocalError(f"{template} is missing: run `make build` first")
    s3 = boto3.client("s3")
    located: Mapping[str, Any] = s3.get_bucket_location(Bucket=bucket)
    region = located["LocationConstraint"] or FIRST_REGION
    with TemporaryDirectory() as folder:
        packaged = Path(folder, "packaged.yaml")
        command = ["package", "--template-file", str(template), "--output-template-file", str(packaged)]
        command += ["--s3-bucket", bucket, "--s3-prefix", PREFIX, "--region", region, "--no-progressbar"]
        run_sam(command, os.environ, UPLOAD_TIMEOUT_S)
        body = packaged.read_bytes()
    if len(body) > MAX_TEMPLATE_BYTES:
        raise LocalError(f"the template has {len(body)} bytes; CloudFormation reads {MAX_TEMPLATE_BYTES}")
    key = f"{PREFIX}/{sha256(body).hexdigest()[:NAME_CHARACTERS]}.yaml"
    s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType="application/yaml")
    return quick_create_url(region, f"https://{bucket}.s3.{region}.amazonaws.com/{key}")


def main(words: Sequence[str]) -> None:
    """Run the command."""
    match words:
        case [bucket] | [bucket, _] if bucket:
            print(publish(bucket, *(Path(word) for word in words[1:])))
        case _:
            raise LocalError("name a bucket in the region of the stacks: make publish BUCKET=<name>")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except LocalError as exc:
        raise SystemExit(f"tollgate: {exc}") from exc
