// The server in docs/guide/servers.md, started as it is there, and sent requests.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fencesOf } from '../examples/fences.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
// Inside the package, so that its name resolves.
const folder = path.join(project, 'build', 'server-example');
let server: ChildProcess;
let port = 0;
let failures = '';

beforeAll(async () => {
  const block = fencesOf(fs.readFileSync(path.join(project, 'docs', 'guide', 'servers.md'), 'utf8')).find(
    ({ title }) => title === 'server.mjs',
  );
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'server.mjs'), block!.code);
  server = spawn(process.execPath, ['server.mjs'], { cwd: folder, env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'pipe'] });
  server.stderr!.on('data', (data) => (failures += data));
  const [listening] = (await once(server.stdout!, 'data')) as [Buffer];
  port = Number(/\d+/.exec(String(listening))![0]);
});

afterAll(() => {
  server?.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

async function post(route: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${route}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
const answer = async (route: string, body: unknown) => JSON.parse((await post(route, body)).text);

const reference = get_encoding('o200k_base');
const SHORT = 'hello naïve world, 東京 👍🏽\n';
const LONG = SHORT.repeat(20_000);

it('counts short and long texts, and chats', async () => {
  expect(await answer('/count', { text: SHORT })).toEqual({ tokens: reference.encode(SHORT).length });
  expect(await answer('/count', { text: LONG })).toEqual({ tokens: reference.encode(LONG).length });
  // 3 for the answer, 4 around a message with its role, by OpenAI's cookbook.
  expect(await answer('/chat', { messages: [{ role: 'user', content: SHORT }] })).toEqual({ tokens: reference.encode(SHORT).length + 7 });
});

it('splits', async () => {
  const { parts } = await answer('/split', { text: LONG, maxTokens: 1000 });
  expect(parts.join('')).toBe(LONG);
  expect(parts.every((part: string) => reference.encode(part).length <= 1000)).toBe(true);
});

it('streams ids as lines of JSON', async () => {
  const { status, text } = await post('/encode', LONG);
  expect(status).toBe(200);
  const ids = text
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line) as number[]);
  expect(ids).toEqual([...reference.encode(LONG)]);
});

it.each([
  ['/count', { text: 5 }, 400],
  ['/count', 'null', 400],
  ['/count', '{', 400],
  ['/count', { text: 'a'.repeat(2_000_000) }, 413],
  ['/chat', { messages: [{ role: 'user', content: 5 }] }, 400],
  ['/chat', { messages: Array(1001).fill({ role: 'user', content: 'a' }) }, 413],
  ['/split', { text: 'a', maxTokens: 1 }, 400],
  ['/constructor', {}, 404],
] as const)('%s with a wrong request answers with its status', async (route, body, status) => {
  expect((await post(route, body)).status).toBe(status);
});

it('goes on after clients that leave in the middle', async () => {
  for (const route of ['/count', '/encode']) {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${route} HTTP/1.1\r\nHost: a\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG.slice(0, 100_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
  }
  expect(await answer('/count', { text: SHORT })).toEqual({ tokens: reference.encode(SHORT).length });
});

it('ends when it is told to', async () => {
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
  expect(failures).toBe('');
});
