/**
 * Writes dist/embedded: the WebAssembly modules and the slim cartridges as JavaScript modules, so that browsers and bundlers
 * need no file but JavaScript. lib/embedded-bytes.ts reads them, and says how the bytes are written.
 */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

/** Those that browsers have by name: `standard` would be 3 MB of script. */
const CARTRIDGES = ['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base', 'lite'];

/** Embeds what there is and has changed since. */
export function embed() {
  const sources = [
    ...['core', 'core-scalar', 'build'].map((name) => [name, `dist/wasm/${name}.wasm`]),
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
  const module = `// Written by scripts/embed.mjs from ${path.basename(file)}.\nexport default ${textOf(fs.readFileSync(file))};\n`;
  fs.writeFileSync(`${target}.tmp`, module);
  fs.renameSync(`${target}.tmp`, target);
}

/** Characters that cannot stand in a string as they are; and NUL and DEL, for tools that take those for another format. */
const ESCAPED = new Map([0, 10, 13, 34, 92, 127].map((code) => [code, `\\x${code.toString(16).padStart(2, '0')}`]));

/** A string literal for bytes: the shift that makes it shortest, then each byte plus that. */
export function textOf(bytes) {
  const uses = new Uint32Array(256);
  for (const byte of bytes) ++uses[byte];
  const cost = (code) => ESCAPED.get(code)?.length ?? (code < 128 ? 1 : 2);
  const length = (shift) => uses.reduce((sum, count, byte) => sum + count * cost((byte + shift) & 255), 0);
  const shifts = Array.from({ length: 256 }, (_, shift) => shift);
  const best = shifts.reduce((a, b) => (length(b) < length(a) ? b : a));
  const characters = Array.from({ length: 256 }, (_, code) => ESCAPED.get(code) ?? String.fromCharCode(code));
  let text = `"${characters[best]}`;
  for (const byte of bytes) text += characters[(byte + best) & 255];
  return `${text}"`;
}
