"""Programs of the docs that create media, wait and save the files. Pure.

They contain MODEL, INPUT and BODY for the values of a request.
"""

FETCH_HEAD = """\
const url = process.env.TOLLGATE_URL;
const headers = {
  Authorization: `Bearer ${process.env.TOLLGATE_API_KEY}`,
  "Content-Type": "application/json",
};

"""

CURL = """\
AUTH="Authorization: Bearer $TOLLGATE_API_KEY"
TASK=$(curl -sS "$TOLLGATE_URL/api/v1/generation/create" \\
  -H "$AUTH" -H 'Content-Type: application/json' \\
  -d BODY | jq -r .data.taskId)

while true; do
  ANSWER=$(curl -sS "$TOLLGATE_URL/api/v1/task/status/$TASK?wait=20" -H "$AUTH")
  case $(jq -r .data.status <<<"$ANSWER") in
    finished) break ;;
    failed | expired) jq .data.error <<<"$ANSWER"; exit 1 ;;
  esac
done
jq -r '.data.files[].fileUrl' <<<"$ANSWER" | xargs -n1 curl -sSO -w '%{filename_effective}\\n'"""

CLIENT = """\
# pip install -r $TOLLGATE_URL/clients/tollgate-client.txt
import tollgate_client

task = tollgate_client.run("MODEL", INPUT)
for path in task.save():
    print(path)"""

HTTPX = """\
# pip install httpx
import os
from pathlib import Path

import httpx

URL = os.environ["TOLLGATE_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}

with httpx.Client(base_url=URL, headers=HEADERS, timeout=60) as client:
    body = BODY
    created = client.post("/api/v1/generation/create", json=body).raise_for_status()
    task_id = created.json()["data"]["taskId"]
    while True:
        answer = client.get(f"/api/v1/task/status/{task_id}", params={"wait": 20})
        task = answer.raise_for_status().json()["data"]
        if task["status"] in ("finished", "failed", "expired"):
            break

if task["status"] != "finished":
    raise SystemExit(task["error"]["message"])  # it was refunded
for file in task.get("files", []):
    path = Path(file["fileUrl"]).name
    Path(path).write_bytes(httpx.get(file["fileUrl"], timeout=60).raise_for_status().content)
    print(path)"""

TYPESCRIPT = (
    """\
import { writeFile } from "node:fs/promises";

"""
    + FETCH_HEAD
    + """\
const call = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(url + path, { ...init, headers });
  const { data, error } = await answer.json();
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
};

const body = BODY;
const created = await call("/api/v1/generation/create", { method: "POST", body: JSON.stringify(body) });
let task;
do {
  task = await call(`/api/v1/task/status/${created.taskId}?wait=20`);
} while (!["finished", "failed", "expired"].includes(task.status));

if (task.status !== "finished") throw new Error(task.error.message); // it was refunded
for (const { fileUrl } of task.files ?? []) {
  const name = new URL(fileUrl).pathname.split("/").pop();
  await writeFile(name, Buffer.from(await (await fetch(fileUrl)).arrayBuffer()));
  console.log(name);
}"""
)
