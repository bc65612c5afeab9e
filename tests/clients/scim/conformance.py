"""Check the SCIM routes with scim2-tester: `conformance.py <address> <token>`; writes its results as JSON."""

import json
import sys
from typing import Any

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

address, token = sys.argv[1:]
http = httpx2.Client(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=30)
found: Any = check_server(SyncSCIMClient(http))
results = [{"status": one.status.name, "title": one.title, "reason": str(one.reason)} for one in found]
sys.stdout.write(json.dumps(results))
