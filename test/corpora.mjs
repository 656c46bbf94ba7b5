/**
 * The shared corpora, unpacked: real texts that are too large, or under too restrictive licences, to commit here.
 *
 * They are read from `../shared/corpora` beside the repository and unpacked once into a cache folder of the system's
 * temporary directory, named by the hash of the manifest. The folder appears by one rename, after the sha256 of every
 * file was compared with the manifest, so a folder that exists is complete. Without `../shared` there are no corpora,
 * and the result is `null`, which callers must report as skipped.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../shared/corpora', import.meta.url));

/** @typedef {{ name: string, path: string, bytes: number, sha256: string, validUtf8: boolean, assembled: boolean }} Corpus */

/** @returns {string} lower-case hexadecimal sha256 of the bytes */
export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The text that a string tokenizer sees for a file: UTF-8 with invalid sequences replaced by U+FFFD, and a leading
 * byte order mark kept (it is part of the text).
 * @param {Uint8Array} bytes
 */
export function textOf(bytes) {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/**
 * Every corpus file, unpacked; `null` if the shared folder is absent.
 * @param {{ assembled?: boolean, part?: 'dev' | 'train' }} [options] `assembled: true` adds the texts assembled from the
 * others; `part`: those for tests and benchmarks, or those to train on, which share no text
 * @returns {Corpus[] | null}
 */
export function corpora({ assembled = false, part = 'dev' } = {}) {
  const source = path.join(folder, part);
  const manifestPath = path.join(source, 'MANIFEST.md');
  if (!fs.existsSync(manifestPath)) return null;
  const manifest = fs.readFileSync(manifestPath);
  const cache = path.join(os.tmpdir(), `crayon-corpora-${sha256(manifest).slice(0, 16)}`);
  const files = readManifest(manifest.toString(), source, cache);
  const complete = files.every((file) => fs.statSync(file.path, { throwIfNoEntry: false })?.size === file.bytes);
  if (!complete) unpack(files, source, cache);
  return files.filter((file) => assembled || !file.assembled);
}

/** @type {string[][] | undefined} ascending by their number */
let linesOfFiles;

/** @param {Corpus} file whose beginning is enough @returns {string[]} */
function linesOf({ path: file, bytes }) {
  const beginning = Buffer.alloc(Math.min(bytes, 1_000_000));
  const open = fs.openSync(file);
  fs.readSync(open, beginning);
  fs.closeSync(open);
  const lines = textOf(beginning).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.filter((line) => line.length <= 2000 && line.trim() !== '');
}

/**
 * Lines of the corpora, with their ends, of up to 2,000 characters each: the same number from each file if possible, from
 * all parts of its first megabyte. `null` if there are no corpora.
 * @param {number} count
 * @returns {string[] | null}
 */
export function corpusLines(count) {
  const files = corpora();
  if (files === null) return null;
  linesOfFiles ??= files.map(linesOf).sort((one, other) => one.length - other.length);
  const all = linesOfFiles;
  const lines = [];
  // Files with few lines leave their share to the others.
  all.forEach((own, index) => {
    const wanted = Math.min(own.length, Math.ceil((count - lines.length) / (all.length - index)));
    for (let i = 0; i < wanted; i++) lines.push(own[Math.floor((i * own.length) / wanted)]);
  });
  return lines;
}

/** @returns {Corpus[]} */
function readManifest(manifest, source, cache) {
  const files = [];
  let assembled = false;
  for (const line of manifest.split('\n')) {
    if (line.startsWith('## Texts to be assembled')) assembled = true;
    const row = /^\| `([^`]+)` \| ([\d,]+) \|.*\| `([0-9a-f]{64})` \|$/.exec(line);
    if (row === null) continue;
    files.push({
      name: row[1],
      path: path.join(cache, row[1]),
      bytes: Number(row[2].replaceAll(',', '')),
      sha256: row[3],
      validUtf8: !line.includes('NOT valid UTF-8'),
      assembled,
    });
  }
  if (files.length === 0) throw new Error(`no files listed in ${path.join(source, 'MANIFEST.md')}`);
  return files;
}

function unpack(files, source, cache) {
  console.error(`unpacking the corpora into ${cache} (once)`);
  const staging = `${cache}.${process.pid}.${Date.now()}`;
  try {
    for (const file of files.filter((each) => !each.assembled)) {
      const target = path.join(staging, file.name);
      fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      const packed = path.join(source, `${file.name}.xz`);
      if (fs.existsSync(packed)) run('xz', ['-dc', packed], target);
      else fs.copyFileSync(path.join(source, file.name), target);
    }
    if (files.some(({ assembled }) => assembled)) run(process.execPath, [path.join(source, 'assemble.mjs'), staging]);
    for (const file of files) {
      const actual = sha256(fs.readFileSync(path.join(staging, file.name)));
      if (actual !== file.sha256) throw new Error(`${file.name}: sha256 is ${actual}, the manifest says ${file.sha256}`);
    }
    fs.rmSync(cache, { recursive: true, force: true });
    try {
      fs.renameSync(staging, cache);
    } catch (error) {
      // Another process finished first: its folder is equally good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
}

/** Runs a command, with its standard output into `target` if one is given. */
function run(command, args, target) {
  const out = target === undefined ? 'ignore' : fs.openSync(target, 'wx');
  const result = spawnSync(command, args, { stdio: ['ignore', out, 'inherit'] });
  if (typeof out === 'number') fs.closeSync(out);
  if (result.error?.code === 'ENOENT') throw new Error(`cannot unpack the corpora: ${command} not found (Debian package xz-utils)`);
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${result.error ?? `exit code ${result.status}`}`);
}
