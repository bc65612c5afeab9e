"""Creates a task and reads it until it has ended, by the generated client. Arguments: base URL, key."""

import json
import sys

from tollgate_client import AuthenticatedClient
from tollgate_client.api.account import get_user
from tollgate_client.api.media import create_generation, get_task
from tollgate_client.models import Error400, Error401, TestImage, TestImageTestImage

base_url, key = sys.argv[1:]
client = AuthenticatedClient(base_url, key)
order = TestImage(
    "test-image", TestImageTestImage.from_dict({"prompt": "a lighthouse at dusk", "size": "16:9"})
)
made = create_generation.sync(client=client, body=order)
read = get_task.sync(made.data.task_id, client=client, wait=20)

bad = TestImage("test-image", TestImageTestImage.from_dict({"prompt": ""}))
refused = create_generation.sync(client=client, body=bad)
assert isinstance(refused, Error400)
unknown = get_user.sync(client=AuthenticatedClient(base_url, "tg_live_nobody"))
assert isinstance(unknown, Error401)
came = {
    "taskId": made.data.task_id,
    "status": read.data.status,
    "files": [file.file_url for file in read.data.files],
    "code": refused.error.code,
    "unknown": unknown.error.code,
}
sys.stdout.write(json.dumps(came))
