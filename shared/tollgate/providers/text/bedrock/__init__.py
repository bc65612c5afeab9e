"""Amazon Bedrock's Converse API: a reserve route for Claude. It needs no key: the function's role signs.

Requests and responses are translated from and to Anthropic's messages, so that the other code has one path.

facts.py     Bedrock's names and codes
request.py   a messages body as a Converse request
answer.py    Converse responses as messages, complete and as events
stream.py    the binary stream as the events of a messages stream
text.py      one request, signed
"""

from tollgate.providers.runtime.declaration import About, ProviderAccount

ACCOUNT = ProviderAccount(
    name="bedrock",
    about=About("Amazon Bedrock (Claude)", "https://docs.aws.amazon.com/bedrock"),
    env="AWS_BEARER_TOKEN_BEDROCK",
    names=("amazon-bedrock",),
    # Its documentation leaves the time to the model, so that is unknown.
)
