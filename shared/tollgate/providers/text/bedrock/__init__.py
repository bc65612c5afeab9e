"""Amazon Bedrock's Converse API: a reserve route for Claude. It needs no key: the function's role signs.

The wire maps to and from Anthropic's messages, so that everything beyond it is one path.

facts.py     Bedrock's own words
request.py   a messages body as a Converse request
answer.py    Converse answers as messages, whole and as events
stream.py    the binary stream as the events that a messages stream has
text.py      one request, signed
"""

from tollgate.providers.runtime.declaration import About, ProviderAccount

ACCOUNT = ProviderAccount(
    name="bedrock",
    about=About("Amazon Bedrock (Claude)", "https://docs.aws.amazon.com/bedrock"),
    env="AWS_BEARER_TOKEN_BEDROCK",
)
