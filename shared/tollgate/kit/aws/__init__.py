"""AWS services, with the SDK and without it.

Text starts without the SDK, which is slow to import. Nothing is imported here, for the same reason.

sdk.py             the SDK's clients, with bounds on time and retries
json_protocol.py   DynamoDB, Secrets Manager and SQS without the SDK; `sigv4.py`: signatures of requests
eventstream.py     the framing of Bedrock's streams
s3_document.py     one S3 object as a document, through the SDK; `s3_get.py`: the same without it
s3_objects.py      private S3 objects without the SDK
role_bucket.py     objects in the bucket of another AWS account
async_invoke.py    asynchronous invocations of our functions without the SDK
queue.py           our SQS queues; `dead_letters.py`: their dead-lettered messages
async_queue.py     messages to our SQS queues without the SDK
batches.py         batches of records that Lambda passes to a function
"""
