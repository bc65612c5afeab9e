// Holds one conversation of each kind through the Vercel AI SDK and prints what came of them as one JSON object.
// Usage: node ai_sdk.mjs <openai|anthropic|responses> <origin of the service> <API key> <model>
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const [protocol, origin, apiKey, modelId] = process.argv.slice(2);

const providers = {
  openai: () =>
    createOpenAICompatible({
      name: 'tollgate',
      baseURL: `${origin}/api/v1`,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    }),
  // Its default: the Responses API, with stored items that the tool loop refers to.
  responses: () => createOpenAI({ baseURL: `${origin}/api/v1`, apiKey }),
  anthropic: () => createAnthropic({ baseURL: `${origin}/api/v1`, apiKey }),
};
const model = providers[protocol]()(modelId);
const asked = { model, maxRetries: 0 };
const weather = tool({
  description: 'The temperature in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `5 degrees in ${city}`,
});

const whole = await generateText({ ...asked, prompt: 'hello' });
const stream = streamText({ ...asked, prompt: 'hello' });
let streamed = '';
for await (const piece of stream.textStream) streamed += piece;
const round = await generateText({ ...asked, prompt: '[[tool]]', tools: { weather }, stopWhen: stepCountIs(2) });
const streamedRound = streamText({ ...asked, prompt: '[[tool]]', tools: { weather }, stopWhen: stepCountIs(2) });
const streamedSteps = await streamedRound.steps;
const structured = await generateObject({
  ...asked,
  prompt: 'a city',
  schema: z.object({ city: z.string(), people: z.number().int() }),
});
const efforts = {
  openai: { tollgate: { reasoningEffort: 'low' } },
  responses: { openai: { reasoningEffort: 'low', reasoningSummary: 'auto', forceReasoning: true } },
};
const thinking = { ...asked, prompt: '[[think]] hello', providerOptions: efforts[protocol] };
const thought = await generateText(thinking);
const streamedThought = streamText(thinking);
const streamedThoughts = await streamedThought.reasoningText;
let refused = null;
try {
  await generateText({ ...asked, prompt: '[[reject]]' });
} catch (error) {
  refused = { status: error.statusCode, message: error.message };
}

const shownSteps = (steps) =>
  steps.map((step) => ({
    finish: step.finishReason,
    calls: step.toolCalls.map((call) => ({ tool: call.toolName, input: call.input })),
    results: step.toolResults.map((result) => result.output),
    text: step.text,
  }));
console.log(
  JSON.stringify({
    model: modelId,
    whole: { text: whole.text, finish: whole.finishReason, outputTokens: whole.usage.outputTokens },
    streamed: {
      text: streamed,
      finish: await stream.finishReason,
      outputTokens: (await stream.usage).outputTokens,
    },
    round: shownSteps(round.steps),
    streamedRound: shownSteps(streamedSteps),
    structured: structured.object,
    thought: [thought.reasoningText ?? '', streamedThoughts ?? ''],
    refused,
  }),
);
