// One call of each kind through the official SDKs for JavaScript. Prints what came of them as one JSON object.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';

const [url, apiKey] = [process.env.TOLLGATE_URL, process.env.TOLLGATE_API_KEY];
const openai = new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: `${url}/api`, apiKey, maxRetries: 0 });
const messages = [{ role: 'user', content: 'hello' }];
const asked = { model: 'gpt-5.4-mini', messages };

const chat = await openai.chat.completions.create(asked);
const streamed = await openai.chat.completions.stream(asked).finalContent();
const response = await openai.responses.create({ model: 'claude-haiku-5-5', input: 'hello' });
const stream = openai.responses.stream({ model: 'claude-haiku-5-5', input: 'hello' });
const stored = await openai.responses.retrieve(response.id);
const embeddings = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
const image = await openai.images.generate({ model: 'test-image', prompt: 'a fox', response_format: 'b64_json' });
const source = await toFile(Buffer.from(image.data[0].b64_json, 'base64'), 'a.png');
const edited = await openai.images.edit({ model: 'z-image', prompt: 'at night', image: source });
let video = await openai.videos.create({ model: 'test-video', prompt: 'waves' });
for (let left = 60; left > 0 && video.status !== 'completed'; left--) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  video = await openai.videos.retrieve(video.id);
}
const film = await (await openai.videos.downloadContent(video.id)).arrayBuffer();
const deleted = await openai.videos.delete(video.id);
const message = await anthropic.messages.create({ model: 'claude-haiku-5-5', max_tokens: 50, messages });
const told = anthropic.messages.stream({ model: 'gpt-5.4-mini', max_tokens: 50, messages });
const models = [];
for await (const model of anthropic.models.list()) models.push(model.id);
const refused = await anthropic.messages.create({ model: 'nothing', max_tokens: 5, messages }).catch((error) => error);

console.log(
  JSON.stringify({
    chat: chat.choices[0].message.content,
    streamed,
    response: response.output_text,
    responseStreamed: (await stream.finalResponse()).output_text,
    stored: stored.output_text,
    embeddings: embeddings.data.map((each) => each.embedding.length),
    edited: edited.data[0].url,
    video: [video.status, film.byteLength > 0, deleted.deleted],
    message: message.content[0].text,
    messageStreamed: await told.finalText(),
    models: models.includes('claude-haiku-5-5'),
    refused: [refused.status, refused.error?.error?.type],
  }),
);
