// Markdown of a model as nodes of the page. A model may write anything: DOMPurify lets through the few elements that
// Markdown needs, without styles, handlers, images or addresses but http(s) and mailto.

import { Marked } from "../vendor/marked.js";

const MAX_HIGHLIGHTED = 60_000;
const DEEPEST = 6;
const BELOW_THE_PAGE = 2;
const ALLOWED = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "a", "ul", "ol", "li"],
    ...["h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub"],
  ],
  ALLOWED_ATTR: ["href", "title", "class", "start", "align"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};
const LANGUAGE = /^language-([\w+#.-]{1,30})$/;

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth }) {
      const level = Math.min(DEEPEST, depth + BELOW_THE_PAGE);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    // An image would ask another host, and tell it what was said.
    image: ({ text, href }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    // HTML of a model is shown as the text that it is.
    html: ({ text }) => escaped(text),
  },
});

const escaped = (text) =>
  String(text).replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

DOMPurify.addHook("uponSanitizeAttribute", (_, data) => {
  if (data.attrName === "class" && !LANGUAGE.test(data.attrValue)) data.keepAttr = false;
});

const codeBox = (pre, copyButton) => {
  const code = pre.querySelector("code") ?? pre;
  const language = LANGUAGE.exec(code.className)?.[1] ?? "";
  const box = document.createElement("div");
  box.className = "code";
  box.dataset.copied = "";
  const top = document.createElement("div");
  top.className = "code-top";
  const name = document.createElement("span");
  name.className = "muted small";
  name.textContent = language || "code";
  top.append(name, copyButton.content.cloneNode(true));
  const shown = document.createElement("pre");
  shown.tabIndex = 0;
  shown.dataset.copySource = "";
  shown.dataset.highlight = language;
  shown.setAttribute("aria-label", language || "code");
  shown.textContent = code.textContent.replace(/\n$/, "");
  box.append(top, shown);
  return box;
};

// Returns nodes for what a model wrote; `copyButton` is a template.
export const render = (text, copyButton) => {
  const nodes = DOMPurify.sanitize(marked.parse(text), ALLOWED);
  for (const link of nodes.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  for (const table of nodes.querySelectorAll("table")) {
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Table");
    table.replaceWith(scroll);
    scroll.append(table);
  }
  for (const pre of nodes.querySelectorAll("pre")) pre.replaceWith(codeBox(pre, copyButton));
  return nodes;
};

// Colours the code of an answer that is whole; the highlighter is loaded with the first of them.
export const highlight = async (root) => {
  const blocks = [...root.querySelectorAll("[data-highlight]")];
  if (!blocks.length) return;
  const { default: highlighter } = await import("../vendor/highlight.js");
  for (const block of blocks) {
    const { highlight: language } = block.dataset;
    if (!highlighter.getLanguage(language) || block.textContent.length > MAX_HIGHLIGHTED) continue;
    const html = highlighter.highlight(block.textContent, { language, ignoreIllegals: true }).value;
    const only = { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true };
    block.replaceChildren(purifySpans(html, only));
    delete block.dataset.highlight;
  }
};

// The hook above keeps no class but a language's, so the spans have a purifier without it.
const spans = DOMPurify(window);
const purifySpans = (html, only) => spans.sanitize(html, only);
