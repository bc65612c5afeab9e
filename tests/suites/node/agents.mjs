// OpenAI Agents for JavaScript: a tool round in each protocol. Prints what came of them as one JSON object.
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

const { TOLLGATE_URL, TOLLGATE_API_KEY } = process.env;
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: `${TOLLGATE_URL}/api/v1`, apiKey: TOLLGATE_API_KEY, maxRetries: 0 }));
const weather = tool({
  name: 'weather',
  description: 'The temperature in a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `5 degrees in ${city}`,
});

const told = {};
for (const protocol of ['responses', 'chat_completions']) {
  setOpenAIAPI(protocol);
  for (const model of ['gpt-5.4-mini', 'claude-haiku-5-5']) {
    const result = await run(new Agent({ name: 'a', tools: [weather], model }), '[[tool]]', { maxTurns: 3 });
    told[`${protocol} ${model}`] = {
      items: result.newItems.map((item) => item.type),
      words: result.finalOutput.split(' ').length,
    };
  }
}
console.log(JSON.stringify(told));
