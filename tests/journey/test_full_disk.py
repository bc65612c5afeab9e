"""The local service has a full disk while customers create and chat: no money is lost."""

import errno
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.bench.soak import laws
from tests.support.chaos import wait_until
from tests.support.missing import missing
from tests.support.outages import MortalService, mortal_service
from tests.support.samples import PAID_BODY
from tollgate.composition import api as api_parts
from tollgate.kit.money import micro_usd_of_cents

pytestmark = [pytest.mark.ministack, pytest.mark.long]

BALANCE_CENTS = 1_000
EACH = 8
# Room for the service to start, and little more.
DISK = "48m"
CHUNK = b"\0" * 65_536
CHAT = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a small disk of its own, which has the service's files and the temporary ones."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        missing("no disk of its own can be made here: mount wants root")
    (folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    yield folder
    # What a process still holds open goes with it.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def service(disk: Path) -> Iterator[MortalService]:
    """Run the service on that disk."""
    with mortal_service(disk) as running:
        yield running


def filled(disk: Path) -> Path:
    """Fill the disk to its last byte with a file; return it."""
    found = disk / "filling"
    with found.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(CHUNK)
        except OSError as full:
            if full.errno != errno.ENOSPC:
                raise
    return found


def test_what_is_taken_on_a_full_disk_is_made_or_refunded(service: MortalService, disk: Path) -> None:
    account = api_parts.api().accounts.open(micro_usd_of_cents(BALANCE_CENTS))
    headers = {"authorization": f"Bearer {account.api_key}"}
    with httpx.Client(base_url=service.base_url, headers=headers, timeout=60) as http:

        def ask(path: str, body: object) -> httpx.Response:
            return http.post(path, json=body)

        filling = filled(disk)
        asked = [("/api/v1/generation/create", PAID_BODY), ("/api/v1/chat/completions", CHAT)] * EACH
        with ThreadPoolExecutor(EACH) as pool:
            answers = list(pool.map(lambda one: ask(*one), asked))
        assert shutil.disk_usage(disk).free == 0
        for answer in answers:
            assert answer.status_code == 200 or answer.json()["error"]["message"]
        filling.unlink()
        assert ask("/api/v1/generation/create", PAID_BODY).status_code == 200

    def all_is_over() -> bool:
        service.pass_time(30)
        return laws.are_settled([account])

    assert wait_until(all_is_over)
    assert laws.broken([account], BALANCE_CENTS) == []
