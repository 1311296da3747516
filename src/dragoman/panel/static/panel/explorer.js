// The Explorer: an address in, a view out. Every text is set as text, never as markup.

import { make } from "../dragoman/elements.js";
import "../dragoman/menu.js";
import { area, overview } from "./area.js";
import { commit } from "./commit.js";
import { Found } from "./found.js";
import { Refused, at, noting } from "./look.js";
import { filled, link } from "./parts.js";
import { here } from "./place.js";
import { node } from "./symbol.js";
import { folder, reveal } from "./tree.js";

const [scroll, shown, side, banner] = ["scroll", "shown", "side", "banner"].map((id) => document.getElementById(id));
const found = new Found(document.getElementById("found"), document.getElementById("query"));
const repository = document.title;

let shows = 0;
let open = null; // the path that the tree marks

function view(place) {
  if (place.commit !== null) return commit;
  if (place.node !== null) return node;
  return place.file ? area : overview;
}

async function show(moved) {
  const mine = ++shows;
  const place = here(location.search);
  shown.setAttribute("aria-busy", "true");
  const made = await view(place)(place).catch(refused);
  if (mine !== shows) return; // somebody went on meanwhile
  const heading = made.heading ?? make("h1", "", made.title);
  heading.tabIndex = -1;
  document.title = made.title ? `${made.title} - ${repository}` : repository;
  shown.replaceChildren(heading, ...made.nodes.filter(Boolean));
  shown.removeAttribute("aria-busy");
  if (moved) {
    heading.focus({ preventScroll: true }); // what was pressed is gone
    scroll.scrollTop = 0;
  }
  const tree = side.querySelector("ul");
  open = made.path ?? place.file;
  if (tree) reveal(tree, open);
}

function refused(error) {
  if (!(error instanceof Refused)) {
    console.error(error);
    error = new Refused({ error: "This cannot be shown. The rest of the Explorer still works." });
  }
  const { code, near = [] } = error.result ?? {};
  // What the tool advises is for whoever can call tools.
  const unknown = code === "unknown_symbol" && `There is no symbol "${here(location.search).node}". `;
  const advice = near.length ? "Near:" : "The search above finds names and text.";
  const rows = near.map((name) => filled("li", "", link(placeOf(name), name)));
  const list = rows.length && filled("ul", "rows", ...rows);
  return { title: "Nothing there", nodes: [make("p", "refused", unknown ? unknown + advice : error.message), list] };
}

function placeOf(name) {
  return name.includes("/") && !name.includes("::") ? { file: name } : { node: name };
}

// A marked line is brought into view when its section has come.
new MutationObserver(() => {
  const line = shown.querySelector(".marked:not(.seen)");
  line?.classList.add("seen");
  line?.scrollIntoView({ block: "center" });
}).observe(shown, { childList: true, subtree: true });

document.addEventListener("click", (event) => {
  const pressed = event.target.closest("a");
  const plain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!pressed || !plain || pressed.origin !== location.origin || pressed.pathname !== location.pathname) return;
  event.preventDefault();
  found.close();
  if (pressed.href !== location.href) history.pushState(null, "", pressed.href);
  show(true);
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#found, #search")) found.close();
});
window.onpopstate = () => show(false);

noting((note) => {
  banner.hidden = !note;
  banner.firstElementChild.textContent = note;
});
banner.lastElementChild.onclick = () => (banner.hidden = true);

history.replaceState(null, "", at(here(location.search))); // one spelling for one place
show(false);
folder("")
  .then((list) => {
    side.append(list.childElementCount ? list : make("p", "soft", "Git tracks no file here."));
    reveal(list, open);
  })
  .catch((error) => side.append(make("p", "refused", error.message)));
