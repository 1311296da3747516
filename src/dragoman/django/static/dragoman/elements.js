// An element with a class and a text; texts are set as text, never as markup.
export function make(tag, name = "", content = "") {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.textContent = content;
  if (tag === "button") element.type = "button";
  return element;
}
