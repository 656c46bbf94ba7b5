/**
 * A server of static files for the tests and the benchmark of the playground: gzip, and a cache that keeps what is named by its content,
 * as hosts of static pages have it. It counts what it sends.
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
 * @returns {Promise<{ url: string, sent: { name: string, bytes: number }[], close(): Promise<void> }>}
 */
export async function serve(folder) {
  const sent = [];
  const packed = new Map();
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const name = decodeURIComponent(pathname).replace(/^\/playground\//, '');
    const file = path.join(folder, name === '' ? 'index.html' : name);
    if (!pathname.startsWith('/playground/') || !file.startsWith(folder) || !fs.existsSync(file)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    if (!packed.has(file)) packed.set(file, gzipSync(fs.readFileSync(file), { level: 9 }));
    const body = packed.get(file);
    sent.push({ name: path.relative(folder, file), bytes: body.length });
    const caching = name.startsWith('a-') ? 'public, max-age=31536000, immutable' : 'no-cache';
    response
      .writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'content-encoding': 'gzip', 'cache-control': caching })
      .end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/playground/`, sent, close };
}
