"""Answers requests after reading them as JSON, and stores nothing. Prints its port.

As its documentation shows it; with the argument "tuned" as fast as it gets: connections are kept, answers leave in one write.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


class Tuned(Handler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True


class Server(ThreadingHTTPServer):
    # All clients may come at once.
    request_queue_size = 128

    def handle_error(self, request, client_address):
        # Clients that go in the middle of something are none of its business.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", 0), Tuned if "tuned" in sys.argv else Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
