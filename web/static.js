"use strict";
{
  const box = document.getElementById("narrow");
  const parts = [...document.querySelectorAll("[data-part]")];
  box.hidden = false;
  const input = box.querySelector("input");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const p of parts) {
      const text = p.textContent.toLowerCase();
      p.hidden = !words.every((w) => text.includes(w));
    }
  });
}
