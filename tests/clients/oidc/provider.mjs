// An OpenID Connect provider on loopback: `node provider.mjs PORT CALLBACK`. Any login and any password is let in.
import { generateKeyPairSync } from "node:crypto";

import Provider from "oidc-provider";

const [port, callback] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const client = {
  redirect_uris: [callback],
  response_types: ["code"],
  grant_types: ["authorization_code"],
  token_endpoint_auth_method: "none",
  application_type: "native",
};

const provider = new Provider(issuer, {
  clients: [
    { ...client, client_id: "tollgate" },
    { ...client, client_id: "another" },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: issuer, use: "sig", alg: "RS256" }] },
  // As Cognito does: the address is in the id token, and PKCE is asked for.
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ["only a test"] },
  ttl: { AuthorizationCode: 60, IdToken: 300, AccessToken: 60, Interaction: 60, Session: 60, Grant: 60 },
  findAccount: (_, login) => ({
    accountId: login,
    claims: () => ({ sub: login, email: "ada@example.com", email_verified: login === "ada" }),
  }),
});

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
