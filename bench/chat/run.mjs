/**
 * The first chat of a program: the time of the first call of `encodeChat` on a loaded tokenizer, in a fresh process each
 * time. A user waits for this: the renderer's scripts are loaded, the template is parsed, compiled and rendered, the text
 * is encoded. CPU time is shown beside wall time, which other programs delay. CPU time counts all threads, including those
 * that compile scripts in the background.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../node/timing.mjs';

const usage = `usage: npm run bench -- chat [options]

  --runs N            processes of each; default 15
  --template FILE     default: the templates of test/chat/templates, one behind the other, up to 20 KB
  --package FOLDER    a checkout to compare with, whose dist/ is built; any number of them
`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    template: { type: 'string' },
    package: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else measure();

function measure() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const template = values.template ?? writeOwnTemplates(path.join(root, 'test', 'chat', 'templates'));
  console.log(
    `a template of ${fs.statSync(template).size} bytes, ${values.runs} processes each, Node ${process.version}, ${os.cpus()[0]?.model}, load ${os.loadavg()[0].toFixed(1)}`,
  );
  const folders = [root, ...values.package];
  const results = folders.map(() => []);
  // In turn, so that other load affects all of them.
  for (let run = 0; run < Number(values.runs); run++)
    folders.forEach((folder, index) => results[index].push(once(path.resolve(folder), template)));
  folders.forEach((folder, index) => {
    const of = (which, clock) => median(results[index].map((each) => each[which][clock])).toFixed(1);
    console.log(
      `${folder}: first chat ${of('first', 'wall')} ms, ${of('first', 'cpu')} ms of CPU time; second ${of('second', 'wall')} ms, ${of('second', 'cpu')} ms (${results[index][0].first.ids} ids)`,
    );
  });
}

function once(folder, template) {
  const script = fileURLToPath(new URL('first.mjs', import.meta.url));
  const cartridge = path.join(folder, 'cartridges', 'cl100k_base.cray');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, path.join(folder, 'dist', 'node', 'index.js'), template, cartridge],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The tests' macros, up to 20 KB: macros of the same name are redefined. */
function writeOwnTemplates(folder) {
  const texts = ['chatml-tools', 'schemas', 'parts'].map((name) => fs.readFileSync(path.join(folder, `${name}.jinja`), 'utf8'));
  let whole = '';
  for (let i = 0; whole.length < 20_000; i++) whole += texts[i % texts.length];
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-')), 'template.jinja');
  fs.writeFileSync(file, whole);
  return file;
}
