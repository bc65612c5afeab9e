// What a message carries: images, made smaller than models look at, PDFs and text files; inside the request.

import { _ } from "../words.js";

const MAX_SIDE = 1568;
const MAX_PDF_BYTES = 3 * 1024 * 1024;
// About 64,000 tokens.
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_FILES = 6;
const QUALITY = 0.85;
const KEPT_AS_IT_IS = 300_000;

const dataUrl = (blob) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

const smaller = async (file) => {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && file.size <= KEPT_AS_IT_IS && /png|jpeg|webp|gif/.test(file.type)) return file;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
};

// A text file is one in UTF-8 without control characters that no text has, whatever its name is.
const textOf = async (file) => {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  if (text.includes("\0")) throw new TypeError("binary");
  return text;
};

// Returns `{kind, name, data}`; the data of a text file is its text. Throws what a person can read.
const read = async (file) => {
  const name = file.name || _("Pasted image");
  if (!file.size) throw new Error(_("{name} is empty.", { name }));
  if (file.type === "application/pdf") {
    if (file.size > MAX_PDF_BYTES) throw new Error(_("{name} is larger than 3 MB.", { name }));
    return { kind: "pdf", name, data: await dataUrl(file) };
  }
  // A drawing in SVG is text, which models read better.
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") {
    if (file.size > MAX_TEXT_BYTES) throw new Error(_("{name} is larger than 256 KB. Images and PDFs can be larger.", { name }));
    const data = await textOf(file).catch(() => {
      throw new Error(_("{name}: only images, PDFs and text files in UTF-8 can be attached.", { name }));
    });
    return { kind: "text", name, data };
  }
  const image = await smaller(file).catch(() => {
    throw new Error(_("{name} cannot be read as an image.", { name }));
  });
  return { kind: "image", name, data: await dataUrl(image) };
};

// Draws a data URL: the page's policy shows none as an image.
export const thumbOf = async (file) => {
  const canvas = document.createElement("canvas");
  const bytes = Uint8Array.from(atob(file.data.split(",")[1]), (one) => one.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const scale = Math.min(1, 320 / Math.max(bitmap.width, bitmap.height));
  canvas.width = Math.max(1, bitmap.width * scale);
  canvas.height = Math.max(1, bitmap.height * scale);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", file.name);
  return canvas;
};

export const chipOf = (file, onRemove) => {
  const chip = document.createElement("span");
  chip.className = `attached ${file.kind}`;
  const name = document.createElement("span");
  name.className = "cut small";
  name.textContent = file.name;
  chip.append(name);
  if (file.kind === "image") thumbOf(file).then((canvas) => chip.prepend(canvas)).catch(() => {});
  if (onRemove) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet round";
    button.textContent = "×";
    button.setAttribute("aria-label", `Remove ${file.name}`);
    button.addEventListener("click", onRemove);
    chip.append(button);
  }
  return chip;
};

// Wires button, drop and paste of a form; returns what is attached now.
export const attachmentsOf = (form, list, say) => {
  let files = [];
  const show = () => {
    list.replaceChildren(...files.map((file) => chipOf(file, () => {
      files = files.filter((one) => one !== file);
      show();
    })));
    list.hidden = !files.length;
  };
  const take = async (chosen) => {
    for (const file of [...chosen].slice(0, MAX_FILES - files.length)) {
      await read(file).then((one) => files.push(one)).catch((error) => say(error.message));
    }
    show();
  };
  const picked = form.querySelector("input[type=file]");
  form.querySelector("[data-attach]").addEventListener("click", () => picked.click());
  picked.addEventListener("change", () => take(picked.files).then(() => (picked.value = "")));
  // Anywhere on the page: a browser would open a dropped file in its place.
  const takeFrom = (event, { files: found }) => {
    if (!found.length) return;
    event.preventDefault();
    take(found);
  };
  document.addEventListener("paste", (event) => takeFrom(event, event.clipboardData));
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => takeFrom(event, event.dataTransfer));
  return {
    files: () => files,
    set: (next) => {
      files = [...next];
      show();
    },
  };
};
