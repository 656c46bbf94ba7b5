/**
 * Writes dist/embedded: the WebAssembly modules and the slim cartridges as JavaScript modules, so that browsers and bundlers
 * need no file but JavaScript. lib/vocabularies/open/embedded-bytes.ts reads them, and says how the bytes are written.
 */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { root } from './process.mjs';

/** The cartridges that browsers can load by name: `standard` would be 3 MB of script. */
const CARTRIDGES = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'lite'];

/** Embeds what there is and has changed since. */
export function embed() {
  const sources = [
    ...['core', 'core-scalar', 'build', 'dna', 'dna-scalar'].map((name) => [name, `dist/wasm/${name}.wasm`]),
    ...CARTRIDGES.map((name) => [name, `cartridges/${name}.slim.cray`]),
  ];
  for (const [name, source] of sources) {
    const file = path.join(root, source);
    if (fs.existsSync(file)) embedFile(file, path.join(root, 'dist', 'embedded', `${name}.js`));
  }
}

function embedFile(file, target) {
  const written = fs.statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(...[file, import.meta.filename].map((source) => fs.statSync(source).mtimeMs));
  if (written > newest) return;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const module = `// Written by scripts/embed.mjs from ${path.basename(file)}.\nexport default [${textsOf(fs.readFileSync(file)).join(', ')}];\n`;
  fs.writeFileSync(`${target}.tmp`, module);
  fs.renameSync(`${target}.tmp`, target);
}

/** Bytes that get one of the two forms together: a multiple of 3, for base64, and enough for a code of their own in gzip. */
const BLOCK = 24_576;

/**
 * String literals for bytes, in the form that is the smallest download: shifted bytes, which keep what a compressor
 * finds in them, and base64 where there is nothing to be found (in UTF-8 half of random bytes would become two).
 */
export function textsOf(bytes) {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.subarray(at, at + BLOCK);
    const isRandom = zipped(base64Text(block)) < zipped(shiftedText(block));
    if (blocks.at(-1)?.isRandom === isRandom) blocks.at(-1).end = at + block.length;
    else blocks.push({ isRandom, start: at, end: at + block.length });
  }
  const mixed = blocks.map(({ isRandom, start, end }) => (isRandom ? base64Text : shiftedText)(bytes.subarray(start, end)));
  // A block by itself does not show what it has in common with others.
  const shifted = [shiftedText(bytes)];
  return zipped(mixed.join()) < zipped(shifted.join()) ? mixed : shifted;
}

const zipped = (text) => zlib.gzipSync(text, { level: 9 }).length;

function base64Text(bytes) {
  return `"=${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')}"`;
}

/** Characters that cannot stand in a string as they are; and NUL and DEL, for tools that take those for another format. */
const ESCAPED = new Map([0, 10, 13, 34, 92, 127].map((code) => [code, `\\x${code.toString(16).padStart(2, '0')}`]));
/** The first character of base64; no shift uses it. */
const BASE64 = 61;

/** A string literal for bytes: the shift that makes it shortest, then each byte plus that. */
function shiftedText(bytes) {
  const uses = new Uint32Array(256);
  for (const byte of bytes) ++uses[byte];
  const cost = (code) => ESCAPED.get(code)?.length ?? (code < 128 ? 1 : 2);
  const length = (shift) => uses.reduce((sum, count, byte) => sum + count * cost((byte + shift) & 255), 0);
  const shifts = Array.from({ length: 256 }, (_, shift) => shift).filter((shift) => shift !== BASE64);
  const best = shifts.reduce((a, b) => (length(b) < length(a) ? b : a));
  const characters = Array.from({ length: 256 }, (_, code) => ESCAPED.get(code) ?? String.fromCharCode(code));
  let text = `"${characters[best]}`;
  for (const byte of bytes) text += characters[(byte + best) & 255];
  return `${text}"`;
}
