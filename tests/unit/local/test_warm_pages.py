"""What `make run` asks for before it says that it is ready."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from local.machine.emulator import free_port
from local.machine.service import WARMED, warm


class TestWarm:
    def test_each_page_is_asked_for_though_one_fails(self) -> None:
        asked: list[str] = []

        class Pages(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(500 if len(asked) == 1 else 200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Pages)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            warm(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
        assert asked == list(WARMED)

    def test_a_service_that_has_ended_is_told_by_its_watch_and_not_here(self) -> None:
        warm(f"http://127.0.0.1:{free_port()}")
