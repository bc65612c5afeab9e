"""`python -m tests.bench.far_end PORT`: a provider's file server and S3, which keep nothing.

`GET /result/<bytes>` answers an MP4's boxes, the last of them of zeros up to the end. Everything else is S3
as far as a copy speaks it: a put, the four calls of a multipart upload, all of which are taken.
"""

import sys
from collections.abc import AsyncIterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

HEAD = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + b"\x00\x00\x00\x08moov" + b"\x00\x00\x00\x00mdat"
CHUNK = bytes(256 * 1024)
XML = '<?xml version="1.0"?><{0} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{1}</{0}>'


async def result(request: Request) -> Response:
    """Return a file of so many bytes."""
    size = int(request.path_params["size"])

    async def pieces() -> AsyncIterator[bytes]:
        yield HEAD
        left = size - len(HEAD)
        while left > 0:
            yield CHUNK[:left]
            left -= len(CHUNK)

    return StreamingResponse(pieces(), headers={"content-length": str(size)}, media_type="video/mp4")


async def s3(request: Request) -> Response:
    """Take whatever is sent."""
    async for _ in request.stream():
        pass
    if request.method == "POST" and "uploads" in request.query_params:
        started = "<Bucket>b</Bucket><Key>k</Key><UploadId>1</UploadId>"
        return Response(XML.format("InitiateMultipartUploadResult", started), media_type="application/xml")
    if request.method == "POST":
        done = XML.format("CompleteMultipartUploadResult", '<ETag>"1"</ETag>')
        return Response(done, media_type="application/xml")
    return Response(headers={"etag": '"1"'})


app = Starlette(
    routes=[
        Route("/healthz", lambda _: Response()),
        Route("/result/{size:int}", result),
        Route("/{key:path}", s3, methods=["PUT", "POST", "DELETE"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
