// What is selected in the gallery: downloaded as one ZIP file, or deleted.

import { _ } from "./words.js";

const MAX_ZIP_BYTES = 1024 ** 3;
const bar = document.querySelector("[data-bulk]");
const count = bar.querySelector("[data-count]");
const download = bar.querySelector("[data-download]");
const say = (message) => document.dispatchEvent(new CustomEvent("say", { detail: message }));
const boxes = () => [...document.querySelectorAll("#tasks [name=task]")];
const chosen = () => boxes().filter((box) => box.checked);

const show = () => {
  const selected = chosen().length;
  bar.hidden = !selected;
  count.textContent = _("{count} selected", { count: selected });
};

const check = (on) => {
  for (const box of boxes()) box.checked = on;
  show();
};

// The files one after the other, so that only one is on its way.
async function* files(addresses, missing) {
  for (const [number, { name, address }] of addresses.entries()) {
    download.lastElementChild.textContent = _("Downloading {number} of {count}", { number: number + 1, count: addresses.length });
    // The browser may have kept the image as the page showed it, which a script may not read.
    const input = await fetch(address, { cache: "no-store" });
    if (input.ok) yield { name, input };
    else missing.push(name);
  }
}

const save = async () => {
  const addresses = chosen().flatMap((box) =>
    box.dataset.files.split(" ").filter(Boolean).map((address, index) => ({
      address,
      name: `${box.value}-${index + 1}.${new URL(address).pathname.split(".").at(-1)}`,
    })),
  );
  const bytes = chosen().reduce((sum, box) => sum + Number(box.dataset.bytes), 0);
  if (!addresses.length) return say(_("The selected generations have no files."));
  if (bytes > MAX_ZIP_BYTES) return say(_("The selected files are larger than 1 GB. Select fewer."));
  const { downloadZip } = await import("./vendor/client-zip.js");
  const missing = [];
  const href = URL.createObjectURL(await downloadZip(files(addresses, missing)).blob());
  Object.assign(document.createElement("a"), { href, download: "tollgate.zip" }).click();
  URL.revokeObjectURL(href);
  if (missing.length) say(_("Files that are no longer stored: {count}", { count: missing.length }));
};

download.addEventListener("click", async () => {
  const label = download.lastElementChild;
  const before = label.textContent;
  download.disabled = true;
  await save().catch(() => say(_("The files could not be downloaded. Check your network, then try again.")));
  download.disabled = false;
  label.textContent = before;
});
bar.querySelector("[data-all]").addEventListener("click", () => check(true));
bar.querySelector("[data-clear]").addEventListener("click", () => check(false));
document.addEventListener("change", (event) => event.target.matches("#tasks [name=task]") && show());
document.addEventListener("htmx:afterSettle", show);
