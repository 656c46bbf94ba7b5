/**
 * The next version, from the files in changes (its README.md says what is in them).
 */
import fs from 'node:fs';
import path from 'node:path';
import { expected, root } from './process.mjs';

const KINDS = ['patch', 'minor', 'major'];

/**
 * @typedef {object} Change
 * @property {string} file
 * @property {string} kind 'patch', 'minor' or 'major'
 * @property {string} text
 */

/** Reads what the next release changes, by the names of the files. @param {string} folder @returns {Change[]} */
export function readChanges(folder = path.join(root, 'changes')) {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return names.sort().map((name) => {
    const file = path.join(folder, name);
    const [, kind, text] = /^---\r?\n["']?crayon-tokenizer["']?: *(\w+)\r?\n---\r?\n([\s\S]*)$/.exec(fs.readFileSync(file, 'utf8')) ?? [];
    if (!KINDS.includes(kind) || text.trim() === '') throw expected(`${file} is not what changes/README.md says`);
    return { file, kind, text: text.trim() };
  });
}

/** @param {string} version @param {Change[]} changes */
export function nextVersion(version, changes) {
  if (changes.length === 0) return version;
  const [major, minor, patch] = version.split('.').map(Number);
  const largest = Math.max(...changes.map(({ kind }) => KINDS.indexOf(kind)));
  if (largest === 0) return `${major}.${minor}.${patch + 1}`;
  return largest === 1 || major === 0 ? `${major}.${minor + 1}.0` : `${major + 1}.0.0`;
}

/** Writes the next version where it is said, and CHANGELOG.md, and removes the changes. @returns {string} the version */
export function applyChanges(folder = root) {
  const changes = readChanges(path.join(folder, 'changes'));
  if (changes.length === 0) throw expected('there is nothing in changes to release');
  const manifest = path.join(folder, 'package.json');
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  const next = nextVersion(version, changes);
  // The first is that of the package itself, in the lock file in both places.
  const replaced = (file, times) => {
    let text = fs.readFileSync(file, 'utf8');
    let from = 0;
    for (let time = 0; time < times; time++) {
      const at = text.indexOf(`"version": "${version}"`, from);
      if (at < 0) throw expected(`${file} does not say version ${version}`);
      text = `${text.slice(0, at)}"version": "${next}"${text.slice(at + `"version": "${version}"`.length)}`;
      from = at + 1;
    }
    return text;
  };
  const written = { [manifest]: replaced(manifest, 1) };
  const lock = path.join(folder, 'package-lock.json');
  written[lock] = replaced(lock, 2);
  const log = path.join(folder, 'CHANGELOG.md');
  const before = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').replace(/^# Changes\n/, '') : '';
  written[log] = `# Changes\n\n## ${next}\n\n${changes.map(({ text }) => `* ${text.replace(/\n(?=.)/g, '\n  ')}\n`).join('')}${before}`;
  for (const [file, text] of Object.entries(written)) fs.writeFileSync(file, text);
  for (const { file } of changes) fs.rmSync(file);
  return next;
}
