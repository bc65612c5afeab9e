"""Text providers: a folder for each upstream protocol.

In: a request with its chosen route. Out: an `Exchange` (`text/upstream/exchange.py`): the call, and how to
read its response.

anthropic/           Anthropic's Messages API
batches/             the vendors' batch APIs
bedrock/             Claude on Amazon Bedrock, from messages bodies
google/              Google's own protocol, for chats with images
openai_compatible/   OpenAI's chat completions, and each vendor's deviations
test.py              repeats the last message, without a network
"""
