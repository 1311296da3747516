// What a person may do with a message of theirs: ask it in other words, or ask it again.

// The buttons below a message. `revise(item, text)` is called with the new words, or without any for the same ones.
export function acts(element, item, revise) {
  const row = document.createElement("div");
  row.className = "acts";
  const edit = button("Edit", "Edit this message", () => {
    const kept = [...element.childNodes];
    const back = () => {
      element.replaceChildren(...kept);
      edit.focus();
    };
    element.replaceChildren(form(item.text, back, (words) => revise(item, words)));
    element.querySelector("textarea").focus();
  });
  row.append(edit, button("Ask again", "Ask this message again", () => revise(item)));
  return row;
}

function form(text, back, send) {
  const made = document.createElement("form");
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-label", "Your message in other words");
  field.rows = Math.min(8, text.split("\n").length + 1);
  const ask = button("Ask", "", null);
  ask.type = "submit";
  ask.className = "strong";
  const row = document.createElement("div");
  row.className = "row";
  const note = document.createElement("span");
  note.className = "left";
  note.textContent = "Replaces this message and what follows it.";
  row.append(ask, button("Cancel", "", back), note);
  made.append(field, row);
  made.onsubmit = (event) => {
    event.preventDefault();
    if (field.value.trim()) send(field.value.trim());
  };
  field.onkeydown = (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") back();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    made.requestSubmit();
  };
  return made;
}

function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = text;
  if (label) made.setAttribute("aria-label", label);
  made.onclick = act;
  return made;
}
