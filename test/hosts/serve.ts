// A minimal static server for one folder: a file that it cannot find is one that the bundler lost.

import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

export interface Served {
  /** The folder's address, ending with a slash. */
  url: string;
  /** The requests in order, as paths in the folder. */
  asked: string[];
  /** The missing ones among them. */
  lost: string[];
  close(): Promise<void>;
}

/** Serves a folder on a free port of this machine. */
export async function serve(folder: string): Promise<Served> {
  const asked: string[] = [];
  const lost: string[] = [];
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const file = path.join(folder, name.endsWith('/') ? `${name}index.html` : name);
    if (name === '/favicon.ico') return response.writeHead(204).end();
    asked.push(name.slice(1));
    const there = file.startsWith(folder) && fs.statSync(file, { throwIfNoEntry: false })?.isFile();
    if (!there) {
      lost.push(name.slice(1));
      return response.writeHead(404).end();
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    return fs.createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    lost,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
