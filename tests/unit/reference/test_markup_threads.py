"""Pages are rendered in several threads at once: the first rendering of a process must be whole."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 60
PROGRAM = """
import sys, threading
from tollgate.reference.markup import html_of

PAGE = "[a](/b?c=d#e) <https://a.test/b?c=d>"
found = []

# While the first thread fills a table, another one renders.
def stop(frame, event, _):
    is_filling = frame.f_code.co_name in ("get_encode_cache", "get_decode_cache") and "i" in frame.f_locals
    if is_filling and event == "line" and not found:
        found.append(None)
        sys.settrace(None)
        other = threading.Thread(target=render)
        other.start()
        other.join(30)
    return stop

def render():
    try:
        found.append(html_of(PAGE))
    except Exception as error:
        found.append(repr(error))

sys.settrace(stop)
render()
sys.settrace(None)
print([one for one in found if one not in (None, html_of(PAGE))])
"""


def test_a_second_thread_reads_no_half_table() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={"PYTHONPATH": "functions:shared:."},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
