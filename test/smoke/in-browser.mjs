/**
 * `node in-browser.mjs PROGRAM ARGUMENT… BACKEND`: the package in a browser page, loaded without a bundler through an
 * import map; the page sends its results. Reports like check.mjs. PAGE in an argument stands for the address.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_MS = 50_000;
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.html': 'text/html; charset=utf-8', '.wasm': 'application/wasm' };
const [program, ...args] = process.argv.slice(2, -1);
const backend = process.argv.at(-1);
const folder = path.dirname(fileURLToPath(import.meta.url));
const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "crayon-tokenizer": "/node_modules/crayon-tokenizer/dist/web/index.js", "crayon-tokenizer/dna": "/node_modules/crayon-tokenizer/dist/web/dna.js" } }</script>
<script type="module">
  import { Tokenizer } from 'crayon-tokenizer';
  import { DnaTokenizer } from 'crayon-tokenizer/dna';
  async function check() {
    const began = performance.now();
    const tokenizer = await Tokenizer.load('o200k_base');
    const ids = tokenizer.encode('hello world').join();
    const firstIds = Math.round(performance.now() - began);
    const text = 'Hello, мир! 你好 👋🏽 naïve café ';
    const whole = tokenizer.encode(text.repeat(20_000));
    const later = await tokenizer.encodeAsync(text.repeat(20_000));
    const isSame = later.length === whole.length && later.every((id, index) => id === whole[index]);
    const isBack = tokenizer.decode(whole) === text.repeat(20_000);
    const dna = (await DnaTokenizer.load('nt-v2')).encode('ACGTACN', { addSpecialTokens: true }).join();
    const ok = ids === '24912,2375' && isSame && isBack && dna === '3,728,4106' && tokenizer.backend.kind === '${backend}';
    return { ok, ids, isSame, isBack, dna, ...tokenizer.backend, host: navigator.userAgent, firstIds };
  }
  const said = await check().catch((error) => ({ ok: false, error: String(error?.stack ?? error) }));
  await fetch('/said', { method: 'POST', body: JSON.stringify(said) });
</script>`;
let hear;
const heard = new Promise((resolve) => {
  hear = resolve;
});

const server = http.createServer(async (request, response) => {
  const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  if (name === '/said') {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    response.end();
    return hear(body);
  }
  if (name === '/') return response.writeHead(200, { 'content-type': TYPES['.html'] }).end(PAGE);
  const file = path.join(folder, name);
  if (!file.startsWith(folder) || !fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
  return fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const page = `http://127.0.0.1:${server.address().port}/`;
const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder };
// In its own process group: browsers start child processes, which must end with them.
const browser = spawn(
  program,
  args.map((each) => each.replace('PAGE', page)),
  { cwd: folder, env, detached: true },
);
let output = '';
for (const stream of [browser.stdout, browser.stderr]) stream.on('data', (data) => (output += data));
const failed = new Promise((resolve) => {
  browser.once('error', (error) => resolve(String(error)));
  browser.once('exit', (code) => resolve(`the browser ended with ${code}: ${output.slice(-2000)}`));
  setTimeout(() => resolve(`nothing was said in ${MOST_MS} ms: ${output.slice(-2000)}`), MOST_MS);
});
const said = await Promise.race([heard, failed]);
console.log(said);
try {
  process.kill(-browser.pid, 'SIGKILL');
} catch {
  // It has exited.
}
process.exit(said.includes('"ok":true') ? 0 : 1);
