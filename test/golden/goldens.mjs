/**
 * The committed goldens: for each encoding and text, the reference's token count and the sha256 of its ids.
 *
 *     texts.json       every text: [bytes, sha256 of the file]
 *     ENCODING.json    fixtures, corpora: name → [tokens, digest]
 *                      prefixes:          name → [UTF-16 units, tokens, digest], the start of a long-piece file
 *                      longPieces:        name → [tokens, digest] by the second reference, the whole file
 *     code-points.json, block-edges.json   encoding → digests of a sweep, see code-points.mjs and block-edges.mjs
 *
 * `derive.mjs` writes them, the tests compare with them, and nothing else uses them.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { endianness } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

if (endianness() !== 'LE') throw new Error('digests are defined over little-endian ids; this host is big-endian');

export const goldenFolder = fileURLToPath(new URL('.', import.meta.url));
export const fixturesFolder = fileURLToPath(new URL('../fixtures', import.meta.url));

/** Length of the prefix that the first reference encodes of a file with overlong pieces, in UTF-16 units. */
export const PREFIX_UNITS = 20_000;

/**
 * Files whose pieces are too long for tiktoken, whose merge is quadratic in the piece: the second reference encodes the
 * whole file, and both encode the first `PREFIX_UNITS`.
 */
export function hasLongPieces(name) {
  return name.startsWith('H_edge/pathological/');
}

/** The first `units` UTF-16 units of a text, one fewer if that would split a surrogate pair. */
export function prefixOf(text, units) {
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

/** @param {Uint32Array} ids @returns {string} sha256 of the ids as little-endian u32 */
export function digestOf(ids) {
  return createHash('sha256')
    .update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength))
    .digest('hex');
}

/**
 * Digest over many short texts, each encoded separately: its token count and ids, as little-endian u32.
 * @param {(text: string) => Uint32Array} encode
 * @param {Iterable<string>} texts
 * @returns {string} the first 16 hexadecimal digits of the sha256
 */
export function digestOfAll(encode, texts) {
  const hash = createHash('sha256');
  let buffer = new Uint32Array(1 << 16);
  let used = 0;
  const flush = () => hash.update(new Uint8Array(buffer.buffer, 0, used * 4));
  for (const text of texts) {
    const ids = encode(text);
    if (used + 1 + ids.length > buffer.length) {
      flush();
      used = 0;
      if (1 + ids.length > buffer.length) buffer = new Uint32Array(2 * (1 + ids.length));
    }
    buffer[used++] = ids.length;
    buffer.set(ids, used);
    used += ids.length;
  }
  return flush().digest('hex').slice(0, 16);
}

/** @returns {{ name: string, path: string }[]} the committed fixture texts, by name */
export function fixtures() {
  return fs
    .readdirSync(fixturesFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.mjs'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .map((file) => ({ name: path.relative(fixturesFolder, file).replaceAll(path.sep, '/'), path: file }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads one golden file, or returns `undefined` if it was never derived. */
export function readGolden(name) {
  const file = path.join(goldenFolder, `${name}.json`);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
}

/** The text of a golden file: one line per text, so that a difference reads well. */
export function format(value, indent = '') {
  if (Object.keys(value).length === 0) return '{}';
  const rows = Object.entries(value).map(([key, each]) => {
    const nested = each !== null && typeof each === 'object' && !Array.isArray(each);
    return `${indent}  ${JSON.stringify(key)}: ${nested ? format(each, `${indent}  `) : JSON.stringify(each)}`;
  });
  return `{\n${rows.join(',\n')}\n${indent}}${indent === '' ? '\n' : ''}`;
}
