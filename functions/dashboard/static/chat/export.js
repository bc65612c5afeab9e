// A conversation as a Markdown file.

import { dollars } from "./stream.js";
import { _ } from "../words.js";

const markdownOf = (conversation) => {
  const lines = [`# ${conversation.title || _("Conversation")}`];
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
