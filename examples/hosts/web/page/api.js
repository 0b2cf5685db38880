/** The word from the address; kept for the life of the tab, so that a reload still has it. */
const token = location.hash.slice(1) || sessionStorage.getItem('token') || '';
sessionStorage.setItem('token', token);
history.replaceState(null, '', location.pathname);

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const RETRY_MS = 1_000;

async function post(path, body) {
  try {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return await response.json();
  } catch {
    return { success: false, error: 'The server can not be reached' };
  }
}

/** A command of the protocol: `{success, data?, error?}`. */
export const command = (type, params = {}) => post('/api/command', { ...params, type });

/** Answers a dialog; `accepted` is false when somebody was faster. */
export const answer = (id, value) => post('/api/answer', { id, value });

/** Hears what the server says, for ever: after a break it begins with everything anew. */
export async function listen({ onRecord, onConnection }) {
  for (;;) {
    try {
      const response = await fetch('/api/stream', { headers });
      if (response.status === 401) return onConnection('Open the address that the server printed');
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      await readLines(response.body, onRecord);
    } catch {
      // Said below; the next try says more.
    }
    onConnection('not connected; trying again');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readLines(body, onRecord) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onRecord(JSON.parse(line));
  }
}
