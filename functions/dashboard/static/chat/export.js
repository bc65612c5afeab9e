// A conversation as a Markdown file, and the search in conversations.

import { dollars } from "./stream.js";

const markdownOf = (conversation) => {
  const lines = [`# ${conversation.title || "Conversation"}`];
  for (const turn of conversation.turns) {
    lines.push("## You", turn.text);
    if (turn.files.length) lines.push(`Files: ${turn.files.map((file) => file.name).join(", ")}`);
    for (const answer of turn.answers) {
      lines.push(`## ${answer.name}`, answer.text || answer.problem || "");
      if (answer.cost !== undefined) lines.push(`*${dollars(answer.cost)}*`);
    }
  }
  return `${lines.join("\n\n")}\n`;
};

export const exportConversation = (conversation) => {
  const href = URL.createObjectURL(new Blob([markdownOf(conversation)], { type: "text/markdown" }));
  const name = (conversation.title || "conversation").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "conversation";
  Object.assign(document.createElement("a"), { href, download: `${name}.md` }).click();
  URL.revokeObjectURL(href);
};

// The conversations that have all words in their title or in their messages.
export const found = (conversations, text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return conversations.filter((one) => {
    const said = one.turns.flatMap((turn) => [turn.text, ...turn.answers.map((answer) => answer.text)]);
    const all = [one.title, ...said].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
};
