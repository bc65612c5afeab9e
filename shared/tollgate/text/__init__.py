"""The text wire: OpenAI's and Anthropic's chat protocols, relayed or translated, and metered.

models.py         the properties of a text model: prices, limits, routes
usage.py          token counts as each protocol and vendor reports them
service.py        one request from body to bill

body/             a request's body: read once, checked, and bounded
money/            its cost, its hold and its bill
wire/             responses in the client's own protocol, and their errors
translation/      requests and responses in the other protocol
upstream/         one request to one provider
kinds/            requests that are no chats: embeddings, rerank, moderations, speech, transcription
routes/           which routes are called until one answers
serving/          text over HTTP
responses/        OpenAI's Responses API, at providers that have it and over chat
listing/          public descriptions of text models
"""
