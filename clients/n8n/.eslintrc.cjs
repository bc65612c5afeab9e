// The rules of n8n for community nodes.
module.exports = {
  root: true,
  parser: "@typescript-eslint/parser",
  parserOptions: { project: "./tsconfig.json", extraFileExtensions: [".json"], sourceType: "module" },
  plugins: ["eslint-plugin-n8n-nodes-base"],
  overrides: [
    { files: ["package.json"], parserOptions: { project: null }, extends: ["plugin:n8n-nodes-base/community"] },
    {
      files: ["credentials/**/*.ts"],
      extends: ["plugin:n8n-nodes-base/credentials"],
      // For credentials of n8n itself; ours have the address of their documentation.
      rules: { "n8n-nodes-base/cred-class-field-documentation-url-miscased": "off" },
    },
    { files: ["nodes/**/*.ts"], extends: ["plugin:n8n-nodes-base/nodes"] },
  ],
};
