#!/usr/bin/env bash
# `make lambda-image`: the image that `make sam-local` runs functions in, for a machine that cannot pull AWS's own.
# It is Debian 13, whose Python is 3.13, with AWS's runtime client from PyPI, under the name that SAM asks for, and for
# this machine's processor. Needs root, Docker, debootstrap and uv; takes some minutes.
set -euo pipefail

stop() { echo "lambda_image: $1"; exit 1; }

case "$(uname -m)" in
  x86_64) architecture=x86_64 ;;
  aarch64 | arm64) architecture=arm64 ;;
  *) stop "Lambda has no processor like $(uname -m)" ;;
esac
image=public.ecr.aws/lambda/python:3.13-$architecture

[ "$(id -u)" = 0 ] || stop "debootstrap needs root: sudo make lambda-image"
for program in docker debootstrap uv; do
  command -v "$program" >/dev/null || stop "$program is missing (Debian's packages: docker.io, debootstrap; uv is on PyPI)"
done
docker info >/dev/null 2>&1 || stop "Docker is not running: systemctl start docker"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$work/root
debootstrap --variant=minbase --include=python3,ca-certificates trixie "$folder" >"$work/log" 2>&1 ||
  { tail -5 "$work/log"; stop "debootstrap failed"; }
mkdir -p "$folder/var/runtime" "$folder/var/task"
uv pip install -q --python-version 3.13 --python-platform "${architecture/arm64/aarch64}-manylinux_2_28" \
  --only-binary :all: --target "$folder/var/runtime" awslambdaric boto3

# What Lambda starts: the task's own code comes first, then the layers, then what the runtime brings.
cat >"$folder/var/runtime/bootstrap" <<'BOOTSTRAP'
#!/bin/sh
export PYTHONPATH="$LAMBDA_TASK_ROOT:/opt/python:$LAMBDA_RUNTIME_DIR"
exec $AWS_LAMBDA_EXEC_WRAPPER /usr/bin/python3 -m awslambdaric "$_HANDLER"
BOOTSTRAP
chmod +x "$folder/var/runtime/bootstrap"

tar -C "$folder" -c . | docker import \
  --change 'WORKDIR /var/task' --change 'ENV LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime LANG=C.UTF-8' - "$image"
echo "made $image"
