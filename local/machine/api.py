"""`python -m local.machine.api BUCKET PORT`: the process of the local service for the API and the storage."""

import sys

from local.machine.server import serve

if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
