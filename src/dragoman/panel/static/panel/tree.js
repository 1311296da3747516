// The folders and files at the side. A folder is read when it is opened.

import { make } from "../dragoman/elements.js";
import { look } from "./look.js";
import { filled, link } from "./parts.js";

// The list of a folder; where there is more of it, a button that goes on.
export async function folder(path, offset = 0, list = make("ul")) {
  const told = await look("list_dir", { path, offset });
  list.append(...told.entries.map((entry) => row(path ? `${path}/${entry.name}` : entry.name, entry)));
  if (told.next_offset !== undefined) {
    const more = make("button", "quiet", "Show more");
    more.onclick = () => (more.parentElement.remove(), folder(path, told.next_offset, list));
    list.append(filled("li", "", more));
  }
  return list;
}

function row(path, { name, kind }) {
  const open = link({ file: path }, name);
  if (kind !== "folder") return filled("li", "", open);
  const twist = make("button", "quiet twist", "\u203a");
  twist.setAttribute("aria-expanded", "false");
  twist.setAttribute("aria-label", `Open ${path}`);
  const made = filled("li", "folder", filled("div", "", twist, open));
  twist.onclick = () => toggle(made, path, twist.getAttribute("aria-expanded") === "false");
  return made;
}

async function toggle(made, path, open) {
  made.querySelector(".twist").setAttribute("aria-expanded", String(open));
  const inner = made.querySelector("ul");
  if (inner) inner.hidden = !open;
  else if (open) made.append(await folder(path).catch((error) => make("ul", "refused", error.message)));
}

// Open the folders on the way to a path, and mark where it leads.
export async function reveal(root, path) {
  for (const old of root.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  const steps = path ? path.split("/") : [];
  let list = root;
  for (const [at, step] of steps.entries()) {
    const made = [...(list?.children ?? [])].find((each) => each.querySelector("a")?.textContent === step);
    if (!made) return; // not on the first page of its folder, or not tracked
    if (at === steps.length - 1) {
      made.querySelector("a").setAttribute("aria-current", "page");
      made.scrollIntoView({ block: "nearest" });
    } else if (made.classList.contains("folder")) await toggle(made, steps.slice(0, at + 1).join("/"), true);
    list = made.querySelector("ul");
  }
}
