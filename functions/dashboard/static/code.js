// Colours of code by the browser's own highlights: the text keeps its nodes, so it is copied and filled in as before.

const MAX_LENGTH = 20_000;
const KINDS = {
  comment: /(?<![:\w/])(?:#|\/\/)\s[^\n]*/g,
  string: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g,
  number: /\b\d+(?:\.\d+)?\b/g,
  keyword: /\b(?:import|from|export|const|let|await|async|new|for|of|in|if|else|return|def|class|with|as|while|try|except|raise|print|true|false|null|None|True|False|curl|npm|pip)\b|(?<=\s)--?[A-Za-z][\w-]*/g,
};

const marks = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, new Highlight()]));
for (const [kind, mark] of Object.entries(marks)) CSS.highlights.set(`code-${kind}`, mark);

const colour = (pre) => {
  const node = pre.firstChild;
  if (pre.childNodes.length !== 1 || node.nodeType !== Node.TEXT_NODE || node.length > MAX_LENGTH) return;
  const taken = [];
  for (const [kind, form] of Object.entries(KINDS)) {
    for (const found of node.data.matchAll(form)) {
      const [start, end] = [found.index, found.index + found[0].length];
      if (taken.some(([from, to]) => start < to && end > from)) continue;
      taken.push([start, end]);
      const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
      marks[kind].add(range);
    }
  }
};

// Colours all code on the page again, after some of it has changed.
export const colourAll = () => {
  for (const mark of Object.values(marks)) mark.clear();
  for (const pre of document.querySelectorAll("pre")) colour(pre);
};
