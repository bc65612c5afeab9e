"""What a customer's media is, told before it is charged: length, image size, container, bytes.

Source: docs/catalog.md.

`service.py` is the API's side and asks; `reader.py` and what it stands on run in `probe_media` alone.
"""
