// What goes with a follow-up: the turns before it, the latest that fit into a request.

const TURNS = 6;
const CHARACTERS = 8000; // of an answer; the service takes no more
const BYTES = 40_000; // of them all; the service takes a body of 64 KB

const size = (turn) => new TextEncoder().encode(JSON.stringify(turn)).length;

export function sentBefore(turns) {
  const sent = [];
  let left = BYTES;
  for (const { question, result } of turns.slice(-TURNS).reverse()) {
    const turn = [
      { role: "user", content: question },
      { role: "assistant", content: Array.from(result.answer).slice(0, CHARACTERS).join("") }, // never half a character
    ];
    left -= size(turn);
    if (left < 0) break;
    sent.unshift(...turn);
  }
  return sent;
}
