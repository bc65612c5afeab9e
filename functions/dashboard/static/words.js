// The texts of scripts in the language of the page. English is the language of the sources (`make languages`).

const language = document.documentElement.lang;
// For dates: British, as the pages write them.
export const locale = language === "en" ? "en-GB" : language;
const words = language === "en" ? {} : (await import(`./languages/${language}.js`)).default;

// A text with its values, which stand in braces.
export const _ = (text, values = {}) => (words[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
