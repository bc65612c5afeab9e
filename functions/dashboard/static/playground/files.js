// Files of a form: chosen, dropped or pasted ones go straight to storage; their names, and URLs, are what is sent.

import { _ } from "../words.js";

const THUMB = 56;
const MAX_THUMB_BYTES = 30 * 1024 * 1024;
const MB = 1024 * 1024;
const MAX_MB = 200;
const IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;
const OTHER_KINDS = {
  image: _("{name} is not an image."),
  video: _("{name} is not a video."),
  audio: _("{name} is not an audio file."),
};
const headers = () => JSON.parse(document.body.getAttribute("hx-headers"));
const nameOf = (url) => decodeURIComponent(url.split(/[?#]/)[0].split("/").pop() || url).slice(-40);

// The page's policy shows no file of the visitor's machine: a small one is drawn.
const thumb = async (file) => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = THUMB;
  const bitmap = await createImageBitmap(file);
  const scale = Math.max(THUMB / bitmap.width, THUMB / bitmap.height);
  const [width, height] = [bitmap.width * scale, bitmap.height * scale];
  canvas.getContext("2d").drawImage(bitmap, (THUMB - width) / 2, (THUMB - height) / 2, width, height);
  bitmap.close();
  return canvas;
};

// What a person can read of a file that no model could; nothing where it may be sent.
const unusable = (file, takes) => {
  const { name } = file;
  if (OTHER_KINDS[takes] && !file.type.startsWith(takes)) return OTHER_KINDS[takes].replace("{name}", name);
  if (takes === "image" && !IMAGES.test(file.type)) return _("{name}: choose a PNG, JPEG, WebP, GIF or AVIF image.", { name });
  if (!file.size) return _("{name} is empty.", { name });
  if (file.size > MAX_MB * MB) return _("{name} is larger than {most} MB.", { name, most: MAX_MB });
  return "";
};

export const send = async (address, file) => {
  const asked = await fetch(address, {
    method: "POST",
    headers: { ...headers(), "content-type": "application/json" },
    body: JSON.stringify({ filename: file.name.slice(-200) || "file", contentType: file.type, bytes: file.size }),
  });
  const granted = await asked.json().catch(() => ({}));
  if (!asked.ok) throw new Error(granted.message ?? _("The upload was refused. Reload the page and try again."));
  const form = new FormData();
  for (const [name, value] of Object.entries(granted.upload.fields)) form.append(name, value);
  form.append("file", file);
  const stored = await fetch(granted.upload.url, { method: granted.upload.method, body: form });
  if (!stored.ok) throw new Error(_("The storage refused the file ({status}).", { status: stored.status }));
  return granted.id;
};

const dropOf = (box, address) => {
  const store = box.querySelector("textarea");
  const url = box.querySelector("[data-url]");
  const picked = box.querySelector("input[type=file]");
  const list = box.querySelector("[data-chosen]");
  // One of its own: the field's is written anew with each price.
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  box.append(problem);
  const isMany = "many" in box.dataset;

  const keep = () => {
    store.value = [...list.children].map((one) => one.dataset.value).filter(Boolean).join("\n");
    store.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const add = (label, value = "") => {
    if (!isMany) list.replaceChildren();
    const item = document.createElement("li");
    item.dataset.value = value;
    const name = document.createElement("span");
    name.className = "cut small";
    name.textContent = label;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "quiet round";
    remove.textContent = "×";
    remove.setAttribute("aria-label", _("Remove {name}", { name: label }));
    remove.addEventListener("click", () => {
      item.remove();
      keep();
    });
    item.append(name, remove);
    list.append(item);
    return item;
  };

  const take = async (file) => {
    problem.textContent = address ? unusable(file, box.dataset.takes) : _("Sign in to upload files.");
    if (problem.textContent) return;
    const item = add(file.name || _("Pasted file"));
    item.classList.add("sending");
    item.setAttribute("aria-busy", "true");
    try {
      if (file.type.startsWith("image/") && file.size < MAX_THUMB_BYTES) {
        const canvas = await thumb(file).catch(() => {
          throw new Error(_("{name} cannot be read as an image.", { name: file.name }));
        });
        item.prepend(canvas);
      }
      item.dataset.value = await send(address, file);
    } catch (error) {
      item.remove();
      problem.textContent = error.message;
    }
    item.classList.remove("sending");
    item.removeAttribute("aria-busy");
    keep();
  };

  const takeAll = (files) => [...files].slice(0, isMany ? files.length : 1).forEach(take);
  const takeUrl = () => {
    const text = url.value.trim();
    if (!text) return;
    add(nameOf(text), text);
    url.value = "";
    keep();
  };

  for (const line of store.value.split("\n").filter(Boolean)) add(nameOf(line), line);
  box.querySelector("[data-choose]")?.addEventListener("click", () => picked.click());
  picked.addEventListener("change", () => {
    takeAll(picked.files);
    picked.value = "";
  });
  url.addEventListener("change", takeUrl);
  url.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      takeUrl();
    }
  });
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    box.classList.remove("over");
    if (event.dataTransfer.files.length) takeAll(event.dataTransfer.files);
    else {
      url.value = event.dataTransfer.getData("text/uri-list").split("\n")[0];
      takeUrl();
    }
  });
  return { takes: box.dataset.takes, takeAll, isShown: () => box.offsetParent !== null };
};

// Files that are pasted or dropped beside the fields go into the panel's first field that takes their kind, the first
// panel's where they meet none: a browser would open a dropped file in the place of the page.
export const filesOf = (panels, address, say) => {
  const drops = new Map(
    panels.map((panel) => [panel, [...panel.querySelectorAll("[data-drop]")].map((box) => dropOf(box, address))]),
  );
  const takeAll = (event, { files }) => {
    if (!files.length) return;
    event.preventDefault();
    const panel = event.target.closest?.("[data-panel]") ?? panels[0];
    const fitting = drops.get(panel).find((one) => one.isShown() && files[0].type.startsWith(one.takes));
    if (fitting) fitting.takeAll(files);
    else say(_("This form takes no file of this kind."));
  };
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => takeAll(event, event.dataTransfer));
  document.addEventListener("paste", (event) => takeAll(event, event.clipboardData));
};
