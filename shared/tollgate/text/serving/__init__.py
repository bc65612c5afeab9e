"""Text over HTTP.

asgi.py           as much of a web framework as the routes need
middleware.py     the parts that all routes share: request ids, rate headers, errors in our shape
event_stream.py   a response on its way to the client: kept alive, with a bound on every wait
answer_cache.py   answers to requests that an account sent before, without a provider
"""
