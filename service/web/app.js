// The page: a conversation, the question box, and the passage beside it.

import { ask, getChunk, getDocuments, key } from "./api.js";
import { renderResult, spoken } from "./answer.js";
import { byId, make } from "./dom.js";
import { sentBefore } from "./history.js";
import { closeSource, openProblem, openSource } from "./source.js";
import { makeProgress, renderStages } from "./stages.js";

const KEPT = "policydesk-turns";
const TURNS_KEPT = 20;
const EXAMPLES = [
  "Can I return my damaged headphones after 10 days?",
  "How long does a refund take?",
  "Does the AX-204 charge fast?",
];

const form = byId("form");
const box = byId("question");
let turns = [];
let running = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = box.value.trim();
  if (!question || running) return;
  box.value = "";
  fit();
  answer(question, byId("category").value || null);
});
box.addEventListener("input", fit);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
byId("stop").addEventListener("click", () => running?.abort());
byId("fresh").addEventListener("click", () => {
  running?.abort();
  closeSource({ refocus: false });
  turns = [];
  keep();
  byId("turns").replaceChildren();
  showWelcome();
  box.focus();
});
byId("source-close").addEventListener("click", () => closeSource());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !byId("key-dialog").open) closeSource();
});

async function answer(question, category) {
  const history = sentBefore(turns);
  const progress = makeProgress();
  const draft = make("p", { class: "draft", hidden: true, "aria-hidden": true });
  const body = make("div", { class: "turn-body", "aria-busy": "true" }, progress.root, draft);
  const turn = addTurn(question, body);
  turn.scrollIntoView({ block: "start", behavior: calm() ? "auto" : "smooth" });
  running = new AbortController();
  setRunning(true);
  try {
    const messages = [...history, { role: "user", content: question }];
    const asked = history.length ? { messages } : { question };
    const result = await ask(category ? { ...asked, category } : asked, {
      signal: running.signal,
      on: (name, data) => hear(name, data, progress, draft),
    });
    turns.push({ question, result });
    keep();
    body.replaceChildren(...shown(result));
    say(spoken(result));
  } catch (problem) {
    fail(problem, body, turn, question, category);
  } finally {
    body.removeAttribute("aria-busy");
    running = null;
    setRunning(false);
  }
}

function hear(name, data, progress, draft) {
  if (name === "stage") {
    progress.show(data);
  } else if (name === "draft") {
    draft.hidden = false;
    draft.append(data.text);
  } else if (name === "discard") {
    draft.hidden = true;
    draft.textContent = "";
  }
}

function shown(result) {
  return [renderResult(result, openSource), renderStages(result, openChunk)];
}

function fail(problem, body, turn, question, category) {
  const stopped = problem.name === "AbortError";
  const words = stopped ? "Stopped." : problem.message;
  if (problem.status === 401) askForKey(() => retry(turn, question, category));
  const again = make("button", { type: "button", class: "quiet", onclick: () => retry(turn, question, category) }, "Ask again");
  body.replaceChildren(make("div", { class: "problem", role: stopped ? "status" : "alert" }, make("p", {}, words), again));
}

function retry(turn, question, category) {
  if (running) return;
  turn.remove();
  answer(question, category);
}

async function openChunk(id, from) {
  try {
    openSource({ passage: await getChunk(id) }, from);
  } catch (problem) {
    openProblem(problem.message, from);
  }
}

function addTurn(question, body) {
  byId("welcome").hidden = true;
  byId("fresh").hidden = false;
  const turn = make("li", { class: "turn" }, make("h2", { class: "asked", dir: "auto" }, question), body);
  byId("turns").append(turn);
  return turn;
}

function setRunning(on) {
  byId("send").hidden = on;
  byId("stop").hidden = !on;
}

function say(words) {
  byId("announce").textContent = words;
}

function fit() {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 200)}px`;
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The conversation outlives a reload of the tab, the oldest turns going first where it gets too long.
function keep() {
  turns = turns.slice(-TURNS_KEPT);
  for (let from = 0; from <= turns.length; from += 1) {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(turns.slice(from)));
      return;
    } catch (problem) {
      if (problem.name !== "QuotaExceededError") throw problem;
    }
  }
}

function restore() {
  try {
    turns = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    const bodies = turns.map(({ result }) => make("div", { class: "turn-body" }, ...shown(result)));
    turns.forEach(({ question }, index) => addTurn(question, bodies[index]));
  } catch {
    turns = []; // not ours, or from an older version: begin anew
    keep();
  }
}

function showWelcome() {
  byId("welcome").hidden = turns.length > 0;
  byId("fresh").hidden = turns.length === 0;
}

async function loadShelf() {
  try {
    const { total, documents, categories } = await getDocuments();
    byId("shelf").textContent = total === 1 ? "One document is on the shelf." : `${total} documents are on the shelf.`;
    byId("category").append(...Object.keys(categories).filter((name) => name !== "general").map((name) => make("option", { value: name }, name)));
    const isDemo = documents.some((item) => item.source.endsWith("ax-204-manual.md"));
    if (isDemo) byId("examples").replaceChildren(...EXAMPLES.map((text) => make("li", {}, make("button", { type: "button", class: "example", onclick: () => answer(text, null) }, text))));
  } catch (problem) {
    if (problem.status === 401) askForKey(loadShelf);
    byId("shelf").textContent = problem.status === 401 ? "This desk answers holders of a key." : problem.message;
  }
}

function askForKey(then) {
  const dialog = byId("key-dialog");
  if (dialog.open) return;
  if (key.get()) byId("key-why").textContent = "That key is not valid, or no longer. Give another.";
  key.clear();
  byId("key-form").onsubmit = () => {
    key.set(byId("key").value.trim());
    byId("key").value = "";
    then();
  };
  dialog.showModal();
}

restore();
showWelcome();
loadShelf();
box.focus();
