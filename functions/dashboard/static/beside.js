// Moves the line between an image before and after its change.

for (const box of document.querySelectorAll("[data-beside]")) {
  const range = box.querySelector("input");
  range.addEventListener("input", () => box.style.setProperty("--cut", `${range.value}%`));
}
