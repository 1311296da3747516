// The side bar where there is no room for it beside the rest: opened by the menu button, closed by a choice or Escape.

const button = document.getElementById("menu");
const side = document.getElementById("side");

export function menu(open) {
  document.body.classList.toggle("open", open);
  button.setAttribute("aria-expanded", String(open));
}

button.onclick = () => menu(!document.body.classList.contains("open"));
side.addEventListener("click", (event) => event.target.closest("a") && menu(false));
document.addEventListener("keydown", (event) => event.key === "Escape" && menu(false));
