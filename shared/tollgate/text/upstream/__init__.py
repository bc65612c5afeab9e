"""One request to one provider.

exchange.py       the call, and the reader of its response
counting.py       whether a stream can be ended early, and billed by its visible output
vendor_batches.py  the batch API of a provider
"""
