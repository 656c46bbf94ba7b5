/**
 * A file too large for memory: the speed of `encodeFile` by thread count, its memory, and how long it blocks the event
 * loop. The file consists of repeated real texts, and is deleted afterwards. Each row runs in its own process; the ids of
 * every part are compared with those of `encode`.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- file [options]

  --gigabytes N     default 10
  --threads LIST    default 1 and all
  --folder PATH     where the file is made; default: that of temporary files
  --encoding NAME   default o200k_base
  --entries LIST    index, wasm; default index
`;

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '10' },
    threads: { type: 'string', default: `1,${os.availableParallelism()}` },
    folder: { type: 'string', default: os.tmpdir() },
    encoding: { type: 'string', default: 'o200k_base' },
    entries: { type: 'string', default: 'index' },
    measure: { type: 'string' }, // the process of a row: its entry
    block: { type: 'string' }, // bytes
    help: { type: 'boolean', default: false },
  },
});

const file = path.join(values.folder, 'crayon-bench-file.txt');

/** Ends with a line and begins with a letter, so that many repetitions have the ids of one, repeated. */
async function block() {
  const { textNamed } = await import('../texts/texts.mjs'); // not in the processes whose memory is measured
  const texts = ['english', 'code', 'chinese', 'chat'].map((name) => textNamed(name).text.slice(0, 250_000));
  return Buffer.from(`The ${texts.join('\n')}\nend\n`);
}

function privateMegabytes() {
  const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

/** One row: MB/s, peak private memory, and the longest block of the event loop. */
async function measure(entry) {
  const { Tokenizer } = await import(`../../dist/node/${entry}.js`);
  const tokenizer = await Tokenizer.load(values.encoding);
  const bytes = Buffer.alloc(Number(values.block));
  const descriptor = fs.openSync(file);
  fs.readSync(descriptor, bytes);
  fs.closeSync(descriptor);
  const { ids: expected, offsets } = tokenizer.encodeWithOffsets(bytes);
  const { size } = fs.statSync(file);
  let [worst, memory, count, compared] = [0, 0, 0, 0];
  let before = performance.now();
  let isOver = false;
  // Only ids at both ends of a part are compared here: comparing all would distort the measurement.
  const check = ({ ids, byteOffset }) => {
    const index = count % expected.length;
    if (offsets[2 * index] !== byteOffset % bytes.length) throw new Error(`the part does not begin at byte ${byteOffset}`);
    for (const at of [0, 1, 2, ids.length - 3, ids.length - 2, ids.length - 1]) {
      if (ids[at] !== undefined && ids[at] !== expected[(index + at) % expected.length])
        throw new Error(`not the same id, ${at} after byte ${byteOffset}`);
      compared++;
    }
  };
  const look = () => {
    worst = Math.max(worst, performance.now() - before);
    before = performance.now();
    if (!isOver) setTimeout(look, 1);
  };
  const began = performance.now();
  look();
  for await (const part of tokenizer.encodeFile(file, { threads: Number(values.threads) })) {
    check(part);
    count += part.ids.length;
    memory = Math.max(memory, privateMegabytes());
  }
  isOver = true;
  const seconds = (performance.now() - began) / 1000;
  if (count !== (size / bytes.length) * expected.length || compared === 0) throw new Error('not the same number of ids');
  console.log(JSON.stringify({ rate: size / 1e6 / seconds, memory, worst }));
}

if (values.help) {
  console.log(usage);
} else if (values.measure) {
  await measure(values.measure);
} else {
  const bytes = await block();
  const repeats = Math.ceil((Number(values.gigabytes) * 1e9) / bytes.length);
  const { bavail, bsize } = fs.statfsSync(values.folder);
  if (bavail * bsize < 1.2 * repeats * bytes.length) throw new Error(`${values.folder} has too little room for the file`);
  const rows = [];
  try {
    const descriptor = fs.openSync(file, 'w');
    for (let n = 0; n < repeats; n++) fs.writeSync(descriptor, bytes);
    fs.closeSync(descriptor);
    for (const entry of values.entries.split(',')) {
      for (const threads of entry === 'wasm' ? ['1'] : values.threads.split(',')) {
        const own = [
          '--measure',
          entry,
          '--block',
          String(bytes.length),
          '--threads',
          threads,
          '--folder',
          values.folder,
          '--encoding',
          values.encoding,
        ];
        const printed = execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...own], { encoding: 'utf8' });
        const { rate, memory, worst } = JSON.parse(printed);
        rows.push([`${entry === 'wasm' ? 'WebAssembly' : 'native'}, ${threads}`, shown(rate), shown(memory), shown(worst)]);
      }
    }
  } finally {
    fs.rmSync(file, { force: true });
  }
  console.log(`${values.encoding}, a file of ${((repeats * bytes.length) / 1e9).toFixed(1)} GB\n`);
  console.log(grid(['threads', 'MB/s', 'private memory, MB', 'longest block, ms'], rows).join('\n'));
}
