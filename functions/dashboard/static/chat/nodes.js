// Nodes of the chat.

export const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

// A button with an icon of the page's template, and a name in words.
export const action = (template, name, label, onClick) => {
  const button = make("button", "quiet act");
  button.type = "button";
  button.title = label;
  button.setAttribute("aria-label", label);
  button.append(template.content.querySelector(`[data-icon=${name}] svg`).cloneNode(true));
  button.addEventListener("click", onClick);
  return button;
};
