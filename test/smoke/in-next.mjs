/**
 * `node in-next.mjs BACKEND`: builds the Next.js application in this folder, starts the resulting server with only the
 * traced files, and requests ids in Node and in the edge runtime, of the guide's route too. Reports like check.mjs.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_MS = 30_000;
const TEXT = 'hello world';
const IDS = '24912,2375';

const [backend = 'native'] = process.argv.slice(2);
const folder = path.dirname(fileURLToPath(import.meta.url));
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', CI: '1' };

function built() {
  const program = createRequire(import.meta.url).resolve('next/dist/bin/next');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'build'], { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`next build: ${stdout}${stderr}`);
  // In another folder, away from the package it was built with.
  const server = `${folder}-server`;
  fs.cpSync(path.join(folder, '.next', 'standalone'), server, { recursive: true, verbatimSymlinks: true });
  return server;
}

async function asked(url) {
  const began = performance.now();
  for (;;) {
    try {
      const response = await fetch(url);
      const text = await response.text();
      if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`, { cause: 'answered' });
      return JSON.parse(text);
    } catch (error) {
      if (error.cause === 'answered' || performance.now() - began > MOST_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function problemsOf(name, { ids, later = ids, backend: kind }, expected) {
  const isSound = ids.join() === IDS && later.join() === IDS && kind === expected;
  return isSound ? [] : [`${name}: ${ids} ${later} ${kind}`];
}

const server = built();
const port = await freePort();
let said = '';
const child = spawn(process.execPath, ['server.js'], { cwd: server, env: { ...env, PORT: String(port), HOSTNAME: '127.0.0.1' } });
for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
try {
  const [inNode, atEdge, ofGuide] = await Promise.all(
    ['node', 'edge', 'guide'].map((name) => asked(`http://127.0.0.1:${port}/${name}?text=${encodeURIComponent(TEXT)}`)),
  );
  const problems = [...problemsOf('node', inNode, backend), ...problemsOf('edge', atEdge, 'wasm'), ...problemsOf('guide', ofGuide, 'wasm')];
  if (problems.length > 0) throw new Error(problems.join('; '));
  console.log(JSON.stringify({ ok: true, node: inNode.backend, edge: atEdge.backend, guide: ofGuide.backend }));
} catch (error) {
  console.log(`${error.stack}\n${said}`);
  process.exitCode = 1;
} finally {
  child.kill();
  fs.rmSync(server, { recursive: true, force: true });
}
