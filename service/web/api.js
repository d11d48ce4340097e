// Talking to the service. A key, where one is needed, lives in this tab's session storage and nowhere else.

const KEY = "policydesk-key";

export class ServiceError extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export const key = {
  set: (text) => sessionStorage.setItem(KEY, text),
  clear: () => sessionStorage.removeItem(KEY),
  get: () => sessionStorage.getItem(KEY),
};

async function call(path, options = {}) {
  const headers = new Headers(options.headers);
  if (key.get()) headers.set("Authorization", `Bearer ${key.get()}`);
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new ServiceError(0, { code: "unreachable", message: "The service can't be reached. Is it still running?" });
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new ServiceError(response.status, body?.error ?? { code: "failed", message: `The service answered ${response.status}.` });
}

export async function getDocuments() {
  return (await call("/api/documents?limit=1000")).json();
}

export async function getChunk(id) {
  return (await call(`/api/chunks/${encodeURIComponent(id)}`)).json();
}

// Asks, and hands each server-sent event to `on(name, data)`. Resolves with the result; rejects with what went wrong.
export async function ask(body, { on, signal }) {
  const response = await call("/api/ask/stream", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  let result = null;
  for await (const { name, data } of events(response.body)) {
    if (name === "error") throw new ServiceError(response.status, data.error);
    if (name === "result") result = data;
    else on(name, data);
  }
  if (result === null) {
    throw new ServiceError(0, { code: "cut_off", message: "The connection ended before the answer did. Ask again." });
  }
  return result;
}

async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split(/\r?\n\r?\n/);
    waiting = blocks.pop();
    for (const block of blocks) {
      const event = parse(block);
      if (event) yield event;
    }
  }
}

function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null; // a block without data is a ping
}
