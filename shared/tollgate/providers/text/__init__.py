"""Providers of text: a folder for each protocol that is spoken upstream.

In: a request with the route that was chosen for it. Out: an `Exchange` (`text/upstream.py`): the call
to make, and how its answer is read.

anthropic/           Anthropic's Messages API
bedrock/             Claude on Amazon Bedrock, by messages bodies
openai_compatible/   OpenAI's chat completions, and how each vendor of them deviates
test.py              says the last message back, without a network
"""
