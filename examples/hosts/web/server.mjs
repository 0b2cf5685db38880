#!/usr/bin/env node
// A conversation with pi in the browser. Started as
//   node examples/hosts/web/server.mjs [--port N] [-- <options of pi>]
// it prints the address to open. It is for the person at this machine alone: it listens on the loopback interface, and the address holds a
// secret without which nothing is answered.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { files } from './files.mjs';
import { Hub } from './hub.mjs';

const split = process.argv.indexOf('--', 2);
const own = process.argv.slice(2, split < 0 ? undefined : split);
const piArgs = split < 0 ? [] : process.argv.slice(split + 1);
const { values } = parseArgs({ args: own, options: { port: { type: 'string', default: '0' } } });

const token = randomBytes(24).toString('base64url');
const hub = new Hub(piArgs);
const MAX_BODY = 32 * 1024 * 1024;

/** Only this machine's own names for itself: a page of another site whose name leads here has its own in `Host`. */
function isOwnHost(host = '') {
  const { port } = server.address();
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(host);
}

function isAllowed({ headers }) {
  const given = Buffer.from(String(headers.authorization ?? '').replace(/^Bearer /, ''));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function isOwnOrigin({ headers: { origin, host } }) {
  return origin === undefined || origin === `http://${host}`;
}

async function readJson(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY) throw new Error('That is too much');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

const reply = (response, status, body) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const server = http.createServer(async (request, response) => {
  try {
    if (!isOwnHost(request.headers.host) || !isOwnOrigin(request)) return reply(response, 403, { error: 'Not from there' });
    const { pathname } = new URL(request.url ?? '/', 'http://local');
    if (request.method === 'GET' && !pathname.startsWith('/api/')) return files(pathname, response);
    // The page itself holds nothing that is secret; everything else needs the word from the address.
    if (!isAllowed(request)) return reply(response, 401, { error: 'Open the address that the server printed' });
    if (request.method === 'GET' && pathname === '/api/stream') return await hub.join(response);
    if (request.method === 'POST' && pathname === '/api/command')
      return reply(response, 200, await hub.command(await readJson(request)));
    if (request.method === 'POST' && pathname === '/api/answer') return reply(response, 200, hub.answer(await readJson(request)));
    return reply(response, 404, { error: 'There is no such thing here' });
  } catch (error) {
    if (!response.headersSent) reply(response, 400, { error: error.message });
    else response.destroy();
  }
});

async function end() {
  server.closeAllConnections();
  server.close();
  await hub.close();
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
// Without the one who started us there is nobody to serve.
if (!process.stdin.isTTY) process.stdin.resume().once('end', end);

try {
  await hub.start();
} catch (error) {
  process.stderr.write(`pi did not start: ${error.message}\n`);
  process.exit(1);
}
server.listen(Number(values.port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/#${token}\n`);
});
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
