#!/bin/bash
# What the Lambda Web Adapter starts: the app on uvicorn, one process, one loop (docs: platform streaming).
# The task's own code first, then the layers, then what the runtime brings.
export PYTHONPATH="$LAMBDA_TASK_ROOT:/opt/python${PYTHONPATH:+:$PYTHONPATH}:$LAMBDA_RUNTIME_DIR"
# Told to end, Lambda leaves a process some 300 ms: nothing here has to be settled.
exec python3 -m uvicorn get_status.app:app \
  --host 127.0.0.1 --port "${AWS_LWA_PORT:-8000}" --log-level warning --no-access-log --no-proxy-headers --timeout-graceful-shutdown 0
