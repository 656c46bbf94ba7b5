/**
 * A static file server for the tests of the site and the benchmark of the playground: with gzip, and a cache of files named by their
 * content, like hosts of static pages. It counts the bytes sent.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/**
 * @param {string} folder
 * @param {{ bitsPerSecond?: number, latency?: number, base?: string }} options `base`: the path below which it is served; the shared bandwidth, and the milliseconds before each answer; default: no limits
 * @returns {Promise<{ url: string, sent: { name: string, bytes: number }[], close(): Promise<void> }>}
 */
export async function serve(folder, { bitsPerSecond, latency = 0, base = '/playground/' } = {}) {
  const sent = [];
  const packed = new Map();
  const line = bitsPerSecond === undefined ? undefined : sharedLine(bitsPerSecond);
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const name = decodeURIComponent(pathname).slice(base.length);
    const file = path.join(folder, name === '' || name.endsWith('/') ? `${name}index.html` : name);
    if (!pathname.startsWith(base) || !file.startsWith(folder) || !fs.existsSync(file)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    if (!packed.has(file)) packed.set(file, gzipSync(fs.readFileSync(file), { level: 9 }));
    const body = packed.get(file);
    sent.push({ name: path.relative(folder, file), bytes: body.length });
    const caching = name.startsWith('a-') ? 'public, max-age=31536000, immutable' : 'no-cache';
    response.writeHead(200, {
      'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
      'cache-control': caching,
    });
    if (bitsPerSecond === undefined) response.end(body);
    else setTimeout(() => line.send(response, body), latency);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}${base}`, sent, close };
}

/** A line that answers share in turns, one packet each. */
function sharedLine(bitsPerSecond) {
  const PACKET = 1460;
  const queue = [];
  let allowed = 0;
  let last = 0;
  let timer;
  const turn = () => {
    const now = performance.now();
    allowed = Math.min(allowed + ((now - last) * bitsPerSecond) / 8000, bitsPerSecond / 80);
    last = now;
    while (allowed >= PACKET && queue.length > 0) {
      const { response, body, at } = queue.shift();
      response.write(body.subarray(at, at + PACKET));
      allowed -= PACKET;
      if (at + PACKET < body.length) queue.push({ response, body, at: at + PACKET });
      else response.end();
    }
    if (queue.length === 0) timer = clearInterval(timer);
  };
  return {
    send(response, body) {
      queue.push({ response, body, at: 0 });
      if (timer) return;
      last = performance.now();
      timer = setInterval(turn, 2);
    },
  };
}
