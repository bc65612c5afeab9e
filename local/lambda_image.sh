#!/usr/bin/env bash
# Makes the image that `make sam-local` runs functions in, for a machine that cannot pull AWS's own: Debian 13, whose
# Python is 3.13, with AWS's runtime client from PyPI, under the name that SAM asks for. Needs root, Docker,
# debootstrap and uv; some minutes.
set -euo pipefail
image=public.ecr.aws/lambda/python:3.13-x86_64

for program in docker debootstrap uv; do
  command -v "$program" >/dev/null || { echo "lambda_image: $program is missing"; exit 1; }
done
docker info >/dev/null 2>&1 || { echo "lambda_image: Docker is not running"; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase --include=python3,ca-certificates trixie "$folder" >/dev/null
mkdir -p "$folder/var/runtime" "$folder/var/task"
uv pip install -q --python-version 3.13 --python-platform x86_64-manylinux_2_28 --only-binary :all: \
  --target "$folder/var/runtime" awslambdaric boto3

# What Lambda starts: the task's own code comes first, then the layers, then what the runtime brings.
cat >"$folder/var/runtime/bootstrap" <<'BOOTSTRAP'
#!/bin/sh
export PYTHONPATH="$LAMBDA_TASK_ROOT:/opt/python:$LAMBDA_RUNTIME_DIR"
exec $AWS_LAMBDA_EXEC_WRAPPER /usr/bin/python3 -m awslambdaric "$_HANDLER"
BOOTSTRAP
chmod +x "$folder/var/runtime/bootstrap"

tar -C "$folder" -c . | docker import \
  --change 'WORKDIR /var/task' --change 'ENV LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime LANG=C.UTF-8' - "$image"
