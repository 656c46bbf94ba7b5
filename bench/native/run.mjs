/**
 * Benchmarks the engine with Google Benchmark: writes the texts and their reference ids to a folder, runs crayon_bench on
 * them and turns its output into tables. bench/README.md describes the measurements.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { commit, machine, quiet, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { exportTexts } from '../texts/export.mjs';
import { cacheFolder } from '../texts/references.mjs';
import { ADVERSARIAL_TEXTS, describe, REAL_TEXTS } from '../texts/texts.mjs';
import { report } from './report.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

const usage = `usage: node bench/native/run.mjs [options]

  --quick             seconds instead of minutes: four texts, two encodings; not saved
  --kernels LIST      best (default), all, or names: avx512,avx2,ssse3,neon,scalar
  --encodings LIST    default o200k_base,cl100k_base,lite,standard
  --filter REGEX      names of benchmarks, operation/text/encoding/kernel
  --repetitions N     of each, in random order (default 5)
  --program FILE      default build/release/crayon_bench
  --cartridges DIR    default cartridges
  --save, --no-save   write bench/results/engine.{json,md}; default: yes, unless --quick or --filter
  --out FILE, --wait S   as for the Node harness
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    kernels: { type: 'string', default: 'best' },
    encodings: { type: 'string' },
    filter: { type: 'string' },
    repetitions: { type: 'string' },
    program: { type: 'string', default: path.join(root, 'build/release/crayon_bench') },
    cartridges: { type: 'string', default: path.join(root, 'cartridges') },
    save: { type: 'boolean' },
    out: { type: 'string' },
    wait: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

/** Runs the program and returns its rows. */
function measure({ quick, kernels, filter, program, cartridges }, encodings, repetitions) {
  const folder = path.join(cacheFolder(), `texts-${process.pid}`);
  const out = path.join(folder, 'benchmarks.json');
  try {
    const names = quick ? ['english', 'code', 'chinese-japanese', 'chat', 'run-letter'] : [...REAL_TEXTS, ...ADVERSARIAL_TEXTS];
    exportTexts(folder, encodings, names);
    const result = spawnSync(
      program,
      [
        `--texts=${folder}`,
        `--cartridges=${cartridges}`,
        `--kernels=${kernels}`,
        `--encodings=${encodings.join(',')}`,
        ...(filter ? [`--benchmark_filter=${filter}`] : []),
        `--benchmark_min_time=${quick ? 0.02 : 0.05}`,
        `--benchmark_repetitions=${repetitions}`,
        '--benchmark_enable_random_interleaving=true',
        `--benchmark_out=${out}`,
        '--benchmark_out_format=json',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (result.error?.code === 'ENOENT') throw new Error(`${program} is not built: cmake --build --preset release --target crayon_bench`);
    if (result.status !== 0) throw new Error(`${program} failed: ${result.error ?? result.signal ?? `exit code ${result.status}`}`);
    return { rows: rowsOf(JSON.parse(fs.readFileSync(out, 'utf8')).benchmarks), texts: describe(names) };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** One row per benchmark: the median, the minimum and the maximum of its repetitions. */
function rowsOf(benchmarks) {
  const byName = new Map();
  for (const each of benchmarks) {
    if (each.run_type !== 'iteration') continue;
    if (each.error_occurred) throw new Error(`${each.name}: ${each.error_message}`);
    const name = each.run_name.replace(/\/(iterations:\d+|manual_time|repeats:\d+)/g, '');
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push(each);
  }
  return [...byName].map(([name, repetitions]) => {
    const kind = name.startsWith('open') ? 'ms' : name.startsWith('memory') ? 'ns' : 'MB/s';
    const parts = name.split('/');
    const [operation, text, encoding, kernel] =
      kind === 'MB/s' ? parts : kind === 'ms' ? [parts[0], '', parts[1]] : [`${parts[1]}, ${parts[2]}`, '', '', 'the machine'];
    const values = repetitions
      .map((each) => ({ 'MB/s': each.bytes_per_second / 1e6, ms: each.real_time / 1000, ns: 1e9 / each.loads })[kind])
      .sort((a, b) => a - b);
    const rounded = (value) => Number(value.toPrecision(4));
    const bytesPerToken = repetitions[0]['bytes/token'];
    return {
      section: kind === 'ns' ? 'memory latency' : 'engine',
      encoding,
      text,
      operation,
      contender: kernel ?? 'crayon',
      unit: kind,
      value: rounded(values[values.length >> 1]),
      low: rounded(values[0]),
      high: rounded(values.at(-1)),
      ...(bytesPerToken !== undefined && { bytesPerToken: rounded(bytesPerToken) }),
    };
  });
}

if (values.help) {
  console.log(usage);
} else {
  if (Number(values.wait) > 0 && !(await quiet(Number(values.wait)))) console.error(`the machine was not quiet within ${values.wait} s`);
  const encodings =
    values.encodings?.split(',') ?? (values.quick ? ['o200k_base', 'lite'] : ['o200k_base', 'cl100k_base', 'lite', 'standard']);
  const repetitions = Number(values.repetitions ?? (values.quick ? 3 : 5));
  const load = watchLoad();
  const { rows, texts } = measure(values, encodings, repetitions);
  const result = {
    format: 1,
    date: today(),
    ...commit(),
    machine: machine(),
    options: { encodings, repetitions, kernels: values.kernels },
    ...load(),
    texts,
    rows,
  };
  const text = report(result);
  console.log(text);
  if (values.save ?? (values.out !== undefined || !(values.quick || values.filter))) {
    console.log(`written: ${path.relative(process.cwd(), record(result, text, { question: 'engine', out: values.out }))}`);
  }
}
