// Markdown of a model as nodes of the page. A model may write anything: DOMPurify lets through the few elements that
// Markdown needs, without styles, handlers, images or addresses but http(s) and mailto.

import { Marked } from "../vendor/marked.js";
import { _ } from "../words.js";

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
const MATHS = /^math-(?:inline|display)$/;
const MAX_MATHS = 4_000;
// A dollar is also money: one before a space, or with a digit after the second one, is no maths (Pandoc's rule).
const INLINE_MATHS = /^(?:\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)|\\\(((?:\\(?!\))|[^\\])+?)\\\))/;
const DISPLAYED_MATHS = /^(?:\$\$((?:\\.|[^$\\])+?)\$\$|\\\[((?:\\(?!\])|[^\\])+?)\\\])/;

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

// The text stays as it was written until the answer is whole, and if it is no maths.
const maths = (kind, form) => ({
  name: `math-${kind}`,
  level: "inline",
  start: (text) => {
    const at = text.search(/\$|\\[[(]/);
    return at < 0 ? undefined : at;
  },
  tokenizer: (text) => {
    const found = form.exec(text);
    return found ? { type: `math-${kind}`, raw: found[0], tex: found[1] ?? found[2] } : undefined;
  },
  renderer: ({ raw, tex }) => `<code class="math-${kind}" title="${escaped(tex)}">${escaped(raw)}</code>`,
});
marked.use({ extensions: [maths("inline", INLINE_MATHS), maths("display", DISPLAYED_MATHS)] });

DOMPurify.addHook("uponSanitizeAttribute", (node, data) => {
  const isKnown = LANGUAGE.test(data.attrValue) || MATHS.test(data.attrValue);
  if (data.attrName === "class" && !isKnown) data.keepAttr = false;
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
  name.textContent = language || _("Code");
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
    scroll.setAttribute("aria-label", _("Table"));
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

const scriptOf = (address) =>
  new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: address, onload: resolve, onerror: reject });
    document.head.append(script);
  });

// Sets the maths of an answer that is whole as MathML; the typesetter is loaded with the first of it.
export const typeset = async (root) => {
  const found = [...root.querySelectorAll("code[class^=math-]")].filter((one) => one.title.length <= MAX_MATHS);
  if (!found.length) return;
  if (!window.temml) await scriptOf(new URL("../vendor/temml.js", import.meta.url));
  for (const one of found) {
    const displayMode = one.className === "math-display";
    try {
      const markup = temml.renderToString(one.title, { displayMode, throwOnError: true, maxExpand: 200, trust: false });
      const only = { USE_PROFILES: { mathMl: true }, FORBID_ATTR: ["style", "href"], RETURN_DOM_FRAGMENT: true };
      // The page's policy refuses styles, and says so of each.
      one.replaceWith(spans.sanitize(markup.replace(/ style="[^"]*"/g, ""), only));
    } catch {
      // It stays as it was written.
    }
  }
};
