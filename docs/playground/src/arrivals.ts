// The files of the engine and of vocabularies, fetched in the worker so that the page can tell how much of them is here. Scripts that the
// package imports afterwards come from the browser's cache: no file is sent twice.

import type { Progress } from './messages.js';

/** Of each file: its name beside the worker, its bytes, and those under gzip. The build writes them here. */
declare const __FILES__: Record<string, { name: string; size: number; packed: number }>;

const FILES = __FILES__;

const PAUSE = 60;
const here = new Map<string, number>();
const fetched = new Map<string, Promise<void>>();

const filesOf = (model: string) => ['core', model === 'o200k_harmony' ? 'o200k_base' : model].filter((name) => name in FILES);

/** What the package opens: the name of a vocabulary that it has, or the bytes of a model's cartridge. */
export async function sourceOf(model: string): Promise<string | ArrayBuffer> {
  const name = FILES[model]?.name;
  return name?.endsWith('.cray') ? (await fetch(new URL(name, import.meta.url))).arrayBuffer() : model;
}

/** Fulfilled when all files of a model are here, and where they cannot be fetched: what imports them says why. */
export async function arrive(model: string, tell: (progress: Progress) => void): Promise<void> {
  const files = filesOf(model);
  const sum = (of: (name: string) => number) => files.reduce((total, name) => total + of(name), 0);
  const packed = (name: string) => FILES[name]?.packed ?? 0;
  let told = 0;
  const step = () => {
    if (performance.now() - told < PAUSE) return;
    told = performance.now();
    tell({ model, loaded: Math.round(sum((name) => packed(name) * (here.get(name) ?? 0))), total: sum(packed) });
  };
  const timer = setInterval(step, PAUSE);
  step();
  await Promise.all(files.map(fetchedOnce)).finally(() => clearInterval(timer));
}

function fetchedOnce(name: string): Promise<void> {
  let file = fetched.get(name);
  if (!file) {
    file = fetchIt(name).catch(() => void fetched.delete(name));
    fetched.set(name, file);
  }
  return file;
}

async function fetchIt(key: string): Promise<void> {
  const { name, size } = FILES[key] as { name: string; size: number };
  const response = await fetch(new URL(name, import.meta.url));
  const reader = response.body?.getReader();
  let got = 0;
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    got += next.value.length;
    here.set(key, Math.min(1, got / size));
  }
}
