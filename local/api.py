"""`python -m local.api BUCKET PORT`: the API and the storage, one process of the local service."""

import sys

from local.server import serve

if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
