// An answer as elements: paragraphs, simple lists, and a button for each citation. A refusal looks like one.

import { make } from "./dom.js";

const MARK = /\[(S\d+(?:,\s*S\d+)*)\]/g;
const ITEM = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+/;

const REASONS = {
  nothing_found: "Nothing in the documents matches the question.",
  weak_retrieval: "What was found does not bear on the question closely enough to answer from it.",
  not_in_documents: "The passages that were found do not hold the answer.",
  unsupported_answer: "An answer was written, but its sentences are not supported by the documents, so it was withheld.",
};

export function renderResult(result, openCitation) {
  if (result.refused) return renderRefusal(result);
  const body = make("div", { class: "answer", dir: "auto" });
  let list = null;
  for (const line of result.answer.split("\n")) {
    if (!line.trim()) continue;
    const item = ITEM.exec(line);
    if (item) {
      const kind = item[1] ? "ol" : "ul";
      if (list?.localName !== kind) list = body.appendChild(make(kind));
      const words = inline(line.slice(item[0].length), result, openCitation);
      list.append(make("li", { dir: "auto", value: item[1] }, ...words)); // a number is the answer's own, and may be referred to
    } else {
      list = null;
      body.append(make("p", { dir: "auto" }, ...inline(line, result, openCitation)));
    }
  }
  const parts = [body, renderSources(result, openCitation)];
  for (const notice of result.notices ?? []) parts.push(make("p", { class: "notice" }, notice));
  return make("div", {}, ...parts);
}

function renderRefusal(result) {
  return make(
    "div",
    { class: "refusal" },
    make("p", { class: "refusal-mark" }, "Not answered"),
    make("p", { class: "refusal-text", dir: "auto" }, result.answer),
    make("p", { class: "refusal-why" }, make("strong", {}, "Why: "), REASONS[result.refusal_reason] ?? result.refusal_reason),
  );
}

// The text of a line with its marks as buttons. A mark's sentence picks the quotation that it opens at.
function inline(line, result, openCitation) {
  const nodes = [];
  let at = 0;
  let sentence = "";
  for (const match of line.matchAll(MARK)) {
    const before = line.slice(at, match.index);
    if (before.trim()) sentence = before;
    nodes.push(...emphasised(before.trimEnd()));
    const labels = match[1].split(/,\s*/).filter((label) => result.context.some((passage) => passage.label === label));
    for (const label of labels) nodes.push(markFor(label, sentence, result, openCitation));
    if (!labels.length) nodes.push(match[0]);
    at = match.index + match[0].length;
  }
  nodes.push(...emphasised(line.slice(at)));
  return nodes;
}

function emphasised(text) {
  return text.split(/\*\*(.+?)\*\*/g).map((part, index) => (index % 2 ? make("strong", {}, part) : part));
}

function markFor(label, sentence, result, openCitation) {
  const passage = result.context.find((item) => item.label === label);
  const quotes = result.citations.filter((citation) => citation.label === label);
  return make(
    "button",
    {
      type: "button",
      class: "cite",
      "data-label": label,
      "aria-label": `Source ${label.slice(1)}: ${placeOf(passage)}`,
      title: placeOf(passage),
      onclick: (event) => openCitation({ passage, quotes, chosen: closest(quotes, sentence) }, event.currentTarget),
    },
    label.slice(1),
  );
}

function renderSources(result, openCitation) {
  const cited = result.context.filter((passage) => result.citations.some((citation) => citation.label === passage.label));
  if (!cited.length) return null;
  return make(
    "ol",
    { class: "sources", "aria-label": "Sources" },
    ...cited.map((passage) => {
      const quotes = result.citations.filter((citation) => citation.label === passage.label);
      return make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: "source-link",
            onclick: (event) => openCitation({ passage, quotes, chosen: quotes[0] }, event.currentTarget),
          },
          make("span", { class: "source-number", "aria-hidden": true }, passage.label.slice(1)),
          make("span", { class: "source-name" }, placeOf(passage)),
          make("span", { class: "source-file" }, passage.source, passage.page ? `, page ${passage.page}` : ""),
        ),
      );
    }),
  );
}

export function placeOf({ title, section }) {
  if (!section || section === title) return title;
  return section.startsWith(title) || !title ? section : `${title} › ${section}`;
}

// The quotation that shares most words with the sentence.
function closest(quotes, sentence) {
  const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const asked = words(sentence);
  const shared = (quote) => {
    const held = words(quote.quote);
    return [...held].filter((word) => asked.has(word)).length / Math.max(1, held.size);
  };
  return quotes.reduce((best, quote) => (best && shared(best) >= shared(quote) ? best : quote), null);
}

export function spoken(result) {
  const text = result.answer.replace(MARK, "");
  if (result.refused) return `Not answered. ${text} ${REASONS[result.refusal_reason] ?? ""}`;
  return `Answer: ${text}`;
}
