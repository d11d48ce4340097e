// What the desk does while it works, and afterwards what each stage found and dropped.

import { make } from "./dom.js";

const STAGES = [
  ["rewrite_query", "Reading the question"],
  ["expand_query", "Widening the search"],
  ["retrieve", "Searching the documents"],
  ["fuse", "Merging the lists"],
  ["rerank", "Ranking what was found"],
  ["fit_context", "Choosing passages"],
  ["generate_answer", "Writing the answer"],
  ["check_faithfulness", "Checking each sentence"],
];
const WORDS = Object.fromEntries([...STAGES, ["refuse", "Refusing"]]);
const KINDS = ["dense", "keyword", "exact", "reference"];

export function makeProgress() {
  const bar = make("div", { class: "bar", "aria-hidden": true }, ...STAGES.map(([name]) => make("span", { "data-stage": name })));
  const words = make("p", { class: "progress-words" }, "Asking…");
  const root = make("div", { class: "progress", role: "group", "aria-label": "Progress" }, bar, words);
  return {
    root,
    show({ stage, status, found }) {
      const segment = bar.querySelector(`[data-stage="${stage}"]`);
      if (segment) segment.className = status;
      if (status === "started") words.textContent = `${WORDS[stage] ?? stage}…`;
      else if (stage === "retrieve" && found !== null) words.textContent = `${found} passages found`;
    },
  };
}

// Each chunk that any list held is a row; each stage is a column with its rank there. The last column says what became of it.
export function renderStages(result, openChunk) {
  const kinds = KINDS.filter((kind) => result.lists.some((list) => list.kind === kind));
  const ranks = { fused: rankOf(result.fused), ranked: rankOf(result.ranked) };
  for (const kind of kinds) ranks[kind] = bestRanks(result.lists.filter((list) => list.kind === kind));
  const labels = new Map(result.context.map((passage) => [passage.id, passage.label]));
  const fitted = result.refused ? (result.chunk_ids ?? []) : [...labels.keys()];
  const instead = result.refusal_reason === "weak_retrieval" ? "too weak" : "held no answer";
  const fates = new Map(fitted.map((id) => [id, labels.get(id) ?? instead]));
  const ids = [...new Set([...fitted, ...ranks.ranked.keys(), ...ranks.fused.keys(), ...kinds.flatMap((kind) => [...ranks[kind].keys()])])];
  const columns = [...kinds, "fused", "ranked"];
  const head = { ranked: result.reranked ? "reranked" : "not reranked" };
  const table = make(
    "table",
    { class: "stage-table" },
    make("caption", { class: "unseen" }, "Rank of each passage at each stage"),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "passage"), ...columns.map((name) => make("th", { scope: "col", class: "number" }, head[name] ?? name)), make("th", { scope: "col" }, "outcome"))),
    make("tbody", {}, ...ids.map((id) => row(id, columns, ranks, fates.get(id) ?? outcome(id, ranks), { kept: labels.has(id), openChunk }))),
  );
  const scroller = make("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Ranks at each stage" }, table);
  return make("details", { class: "stages" }, make("summary", {}, "How this was found"), ...queries(result), scroller, evidence(result), times(result));
}

function row(id, columns, ranks, fate, { kept, openChunk }) {
  const open = make("button", { type: "button", class: "chunk-link", onclick: (event) => openChunk(id, event.currentTarget) }, id);
  const cells = columns.map((name) => make("td", { class: "number" }, ranks[name].has(id) ? String(ranks[name].get(id)) : "–"));
  return make("tr", { class: kept ? "kept" : "dropped" }, make("th", { scope: "row" }, open), ...cells, make("td", {}, fate));
}

function outcome(id, ranks) {
  if (ranks.ranked.has(id)) return "below the cut";
  if (ranks.fused.has(id)) return "not reranked";
  return [...ranks.ranked.keys()].length ? "not fused" : "dropped";
}

function rankOf(hits) {
  return new Map((hits ?? []).map((hit, index) => [hit.id, index + 1]));
}

function bestRanks(lists) {
  const best = new Map();
  for (const list of lists) {
    list.hits.forEach((hit, index) => best.set(hit.id, Math.min(index + 1, best.get(hit.id) ?? Infinity)));
  }
  return best;
}

function queries(result) {
  const out = [];
  if (result.standalone_question && result.standalone_question !== result.question) {
    out.push(make("p", { class: "small" }, make("strong", {}, "Asked as: "), result.standalone_question));
  }
  const more = (result.queries ?? []).filter((query) => query.kind !== "original");
  if (more.length) {
    out.push(make("p", { class: "small" }, make("strong", {}, "Also searched:")));
    out.push(make("ul", { class: "small" }, ...more.map((query) => make("li", {}, `${query.text} (${query.kind.replace("_", " ")})`))));
  }
  for (const warning of result.warnings ?? []) out.push(make("p", { class: "small warning" }, warning));
  return out;
}

function evidence(result) {
  if (typeof result.evidence !== "number") return "";
  const by = result.reranked ? `; ranked by the ${result.reranker} reranker` : "";
  const written = result.model === "extractive" ? "quoted from the passages" : `written by ${result.model}`;
  const model = result.model ? `; ${written}` : "";
  return make("p", { class: "small" }, `Evidence ${result.evidence.toFixed(2)} of 1${by}${model}.`);
}

function times(result) {
  const spent = Object.entries(result.timings_ms ?? {});
  const total = spent.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
  return make(
    "p",
    { class: "small times" },
    `${Math.round(total)} ms: `,
    spent.map(([name, milliseconds]) => `${name.replaceAll("_", " ")} ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)}`).join(" · "),
  );
}
