// Signs in at an MCP server by its address only, generates an image, refreshes its tokens and asks again.
// Prints the address for the person, reads the address to which they returned, prints the results as JSON.
// Usage: node connect.mjs <client|sdk> <address of the MCP server>
import { createInterface } from 'node:readline/promises';

const [generation, server] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError, auth } =
  generation === 'client'
    ? await import('@modelcontextprotocol/client')
    : {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
        ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
      };

const kept = {};
const person = createInterface({ input: process.stdin });
const provider = {
  redirectUrl: 'http://localhost:3999/callback',
  clientMetadata: {
    client_name: 'Chat product',
    redirect_uris: ['http://localhost:3999/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'a-state',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (found) => void (kept.discovery = found),
  discoveryState: () => kept.discovery,
  redirectToAuthorization: (url) => console.log(url.href),
};

const connected = async () => {
  const transport = new StreamableHTTPClientTransport(new URL(server), { authProvider: provider });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
};

const first = new StreamableHTTPClientTransport(new URL(server), { authProvider: provider });
try {
  await new Client({ name: 'test', version: '1' }).connect(first);
  throw new Error('connected without a sign-in');
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const [line] = (await person[Symbol.asyncIterator]().next()).value.split('\n');
const back = new URL(line).searchParams;
await (generation === 'client' ? first.finishAuth(back) : first.finishAuth(back.get('code')));

const asked = { name: 'generate', arguments: { model: 'z-image', input: { prompt: 'a lighthouse', size: '16:9' } } };
const client = await connected();
const made = await client.callTool(asked);
const before = kept.tokens;
await auth(provider, { serverUrl: server });
const again = await (await connected()).callTool(asked);
person.close();
console.log(
  JSON.stringify({
    tasks: [made.structuredContent, again.structuredContent],
    scope: kept.tokens.scope,
    isRefreshed: before.refresh_token !== kept.tokens.refresh_token && before.access_token !== kept.tokens.access_token,
  }),
);
process.exit(0);
