/**
 * `node in-guide.mjs PAGE SECTION PROGRAMS BACKEND`: writes the files of a section of a guide (blocks with a name in brackets) into
 * this folder and runs its commands, with the folder PROGRAMS on the PATH, each of which has to print the `text` block below it.
 * Reports like check.mjs.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const [page, section, programs] = process.argv.slice(2);
const text = fs
  .readFileSync(page, 'utf8')
  .split(/^## /m)
  .find((each) => each.startsWith(`${section}\n`));
if (text === undefined) throw new Error(`${page} has no section ${section}`);
const blocks = Array.from(text.matchAll(/^```(\w+)(?: \[(\S+)\])?\n(.*?)\n```$/gms), ([, language, name, code]) => ({
  language,
  name,
  code,
}));
for (const { name, code } of blocks) if (name) fs.writeFileSync(name, `${code}\n`);

let ran = 0;
const problems = blocks.flatMap(({ language, code }, index) => {
  if (language !== 'sh') return [];
  ran++;
  const env = { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}`, NO_COLOR: '1' };
  const { stdout, stderr, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', code], { env, encoding: 'utf8' });
  const next = blocks[index + 1];
  const expected = next?.language === 'text' ? next.code.trim() : stdout.trim();
  return status === 0 && stdout.trim() === expected ? [] : [`${code}\n${status}: ${stdout}${stderr}instead of ${expected}`];
});
if (ran === 0) problems.push(`${section} has no commands`);
console.log(problems.length > 0 ? problems.join('\n') : JSON.stringify({ ok: true, section, commands: ran }));
process.exitCode = problems.length > 0 ? 1 : 0;
