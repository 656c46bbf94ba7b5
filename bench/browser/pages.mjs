/**
 * Pages in Chromium, one for each contender: their program, bundled once by Vite, and served with the texts and cartridges
 * by this process. The pages are isolated from other origins, to get a clock of 5 µs.
 */
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright';
import { build } from 'vite';

import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { unfamiliar } from '../texts/generated.mjs';
import { textNamed } from '../texts/texts.mjs';

const project = fileURLToPath(new URL('../../', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** Bundles, serves and keeps the browser running for the duration of `use`. */
export async function withPages(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-bench-browser-'));
  let server;
  let browser;
  try {
    await bundle(folder);
    server = http.createServer((request, response) => answer(folder, request, response));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: [...CHROMIUM_ARGUMENTS, '--js-flags=--expose-gc'],
    });
    const url = `http://127.0.0.1:${server.address().port}/`;
    return await use({ version: browser.version(), open: (name) => openPage(browser, url, name) });
  } finally {
    await browser?.close();
    server?.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** A fresh page, in its own process, with a contender's code. */
async function openPage(browser, url, name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  const ask = async (question, about = {}) => {
    try {
      return await page.evaluate(([what, of]) => globalThis.questions[what](of), [question, about]);
    } catch (error) {
      throw new Error(`${name}, ${question}: ${[error.message, ...errors].join('\n')}`);
    }
  };
  await ask('open', { name });
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const clocks = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (metric) => metrics.find((each) => each.name === metric).value;
    return { wall: of('Timestamp'), thread: of('ThreadTime') };
  };
  /** Like `ask`, for work timed on the page's thread: the answer's times, minus the time the thread waited for a CPU. */
  const time = async (question, about) => {
    await ask('hold', about);
    const before = await clocks();
    const times = await ask(question, about);
    const after = await clocks();
    const share = Math.min(1, (after.thread - before.thread) / (after.wall - before.wall));
    return times.map((each) => each * share);
  };
  return { name, ask, time, close: () => context.close() };
}

async function bundle(folder) {
  const entry = path.join(folder, 'index.html');
  fs.writeFileSync(entry, `<!doctype html><script type="module" src="${path.join(here, 'page.mjs')}"></script>`);
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    resolve: { alias: [{ find: /^crayon-tokenizer$/, replacement: path.join(project, 'dist', 'web', 'index.js') }] },
    build: {
      outDir: path.join(folder, 'out'),
      target: 'esnext',
      chunkSizeWarningLimit: 1e6,
      rolldownOptions: { input: entry },
    },
  });
}

function answer(folder, request, response) {
  const name = decodeURIComponent(request.url);
  const send = (type, body) => response.writeHead(200, { 'content-type': type, ...ISOLATED }).end(body);
  if (name.startsWith('/texts/')) {
    const text = name.slice('/texts/'.length);
    return send('text/plain; charset=utf-8', text === 'unfamiliar' ? unfamiliar() : textNamed(text).text);
  }
  const base = name.startsWith('/cartridges/') ? project : path.join(folder, 'out');
  const file = path.join(base, name === '/' ? 'index.html' : name);
  if (!file.startsWith(base) || !fs.existsSync(file)) return response.writeHead(404).end();
  return send(TYPES[path.extname(file)] ?? 'application/octet-stream', fs.readFileSync(file));
}
