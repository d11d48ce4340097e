// The panel beside the conversation: one passage, with the quotations that support the answer marked in it.

import { byId, make } from "./dom.js";

let opener = null;

export function openSource({ passage, quotes = [], chosen = null }, from) {
  markOpener(from);
  const facts = [
    ["Heading", passage.section || passage.title],
    ["Document", passage.title],
    ["File", passage.source],
    ["Page", passage.page],
    ["Applies to", passage.category],
    ["Status", passage.status === "active" ? null : passage.status],
    ["Passage", passage.id],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "");
  byId("source-title").textContent = passage.label ? `Source ${passage.label.slice(1)}` : "Passage";
  byId("source-body").replaceChildren(
    make("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])),
    make("div", { class: "passage", dir: "auto" }, ...marked(passage.text, quotes, chosen)),
    passage.truncated ? make("p", { class: "small" }, "The passage was cut here to fit the model's budget.") : "",
  );
  const panel = show();
  const first = panel.querySelector("mark.chosen") ?? panel.querySelector("mark");
  if (first) first.scrollIntoView({ block: "center" });
  else panel.scrollTop = 0;
}

// Says in the panel why there is nothing in it.
export function openProblem(words, from) {
  markOpener(from);
  byId("source-title").textContent = "Passage";
  byId("source-body").replaceChildren(make("div", { class: "problem", role: "alert" }, make("p", {}, words)));
  show();
}

function show() {
  const panel = byId("source");
  panel.hidden = false;
  document.body.classList.add("with-source");
  byId("source-title").focus({ preventScroll: true });
  return panel;
}

export function closeSource({ refocus = true } = {}) {
  if (byId("source").hidden) return;
  byId("source").hidden = true;
  document.body.classList.remove("with-source");
  const last = opener;
  markOpener(null);
  if (refocus && last?.isConnected) last.focus();
}

function markOpener(button) {
  opener?.removeAttribute("aria-expanded");
  opener = button;
  opener?.setAttribute("aria-expanded", "true");
}

// The text with its quotations as <mark>. Offsets count Unicode characters, as Python does, not UTF-16 units.
function marked(text, quotes, chosen) {
  const characters = Array.from(text);
  const spans = quotes.map((quote) => ({ ...quote, chosen: quote === chosen })).sort((one, other) => one.start - other.start);
  const nodes = [];
  let at = 0;
  for (const { start, end, chosen: isChosen } of spans) {
    if (start < at) continue;
    nodes.push(characters.slice(at, start).join(""));
    nodes.push(make("mark", { class: isChosen ? "chosen" : null }, characters.slice(start, end).join("")));
    at = end;
  }
  nodes.push(characters.slice(at).join(""));
  return nodes;
}
