"""What a customer's media is, told before it is charged: length, image size, container, bytes.

In: URLs of a customer's files. Out: what each is (`facts.py`), or why it cannot be told, which is a 400.

`service.py` is the API's side and asks; `reader.py` and what it stands on run in `probe_media` alone,
which has no permissions (docs/decisions/0009-probing-in-a-child-process.md).

service.py   asks `probe_media`, all files at once
facts.py     what a probe finds, as JSON between the two
reader.py    one file: the header, and what it says
remote.py    the file by HTTP ranges, within bounds
images.py    size of an image, from its header alone
extent.py    how long a file says it is
tracks.py    starts and ends the process that parses
child.py     what such a process is kept in; seccomp.py: the calls it may make
demuxer.py   that process: ffmpeg on a header; `pager.py`: the same for a document's pages
documents.py what a document is, by its first bytes
"""
