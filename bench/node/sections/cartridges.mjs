/**
 * The costs of a cartridge besides encoding: opening, swapping, compiling, and a text too large for memory. Each is
 * measured in a process that does nothing else.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { cacheFolder } from '../../texts/references.mjs';
import { textNamed } from '../../texts/texts.mjs';
import { entryOf } from '../contenders/crayon.mjs';
import { PUBLISHED_TIMES } from '../published.mjs';

const STRESS = 95 * 1024 * 1024;
const LARGE = 450e6;
const project = fileURLToPath(new URL('../../../', import.meta.url));
const timing = new URL('../timing.mjs', import.meta.url).href;
const texts = new URL('../../texts/texts.mjs', import.meta.url).href;
const recipes = new URL('../../../test/golden/longest-match.mjs', import.meta.url).href;

/** The timed program: `source` runs in a module with the package and the timers, and prints milliseconds. */
const TIMES = [
  ...['lite', 'standard'].flatMap((name) => [
    {
      operation: `open ${name} first, file cached`,
      unit: 'ms',
      source: `print(shortCall(() => Tokenizer.loadSync('${name}').close(), 2e8) / 1e6);`,
    },
    {
      operation: `open ${name}, open already`,
      unit: 'µs',
      source: `const kept = Tokenizer.loadSync('${name}');
        print(shortCall(() => Tokenizer.loadSync('${name}').close(), 2e8) / 1e3);`,
    },
  ]),
  {
    operation: 'swap between lite and standard, both open',
    unit: 'µs',
    source: `const kept = [Tokenizer.loadSync('lite'), Tokenizer.loadSync('standard')];
      const tokenizer = Tokenizer.loadSync('lite');
      let turn = 0;
      print(shortCall(() => void tokenizer.swap(['standard', 'lite'][(turn ^= 1)]), 2e8) / 1e3);`,
  },
  {
    operation: 'using standard for nothing, both open',
    unit: 'µs',
    source: `const kept = Tokenizer.loadSync('standard');
      const tokenizer = Tokenizer.loadSync('lite');
      const nothing = () => undefined;
      print(shortCall(() => void tokenizer.using('standard', nothing), 2e8) / 1e3);`,
  },
  {
    operation: 'load, fresh process, file cached',
    unit: 'ms',
    source: `print(timed(() => Tokenizer.loadSync('lite')) / 1e6);`,
  },
  {
    operation: 'load, fresh process, file not cached',
    unit: 'ms',
    dropped: 'cartridges/lite.cray',
    source: `print(timed(() => Tokenizer.loadSync('lite')) / 1e6);`,
  },
  {
    operation: 'compile a list of 367 tokens',
    unit: 'ms',
    source: `const { PROFILES, profileTokens } = await import('${recipes}');
      const tokens = [...Array(95).keys()].map((at) => String.fromCharCode(32 + at));
      tokens.push(...profileTokens('lite').filter((token) => token.length > 3).slice(0, 272));
      const end = timer();
      await compileCartridge(tokens);
      print(end() / 1e6);`,
  },
  ...[3, 2].map((version) => ({
    operation: `compile a list of 206,373 tokens${version === 2 ? ' to version 2' : ''}`,
    unit: 'ms',
    source: `const { profileTokens } = await import('${recipes}');
      const tokens = profileTokens('standard');
      const end = timer();
      await compileCartridge(tokens, { version: ${version} });
      print(end() / 1e6);`,
  })),
  ...['lite', 'standard'].map((profile) => ({
    operation: `95 MiB of a repeated sentence, encode${profile === 'lite' ? '' : ` with ${profile}`}`,
    unit: 'ms',
    source: `const { textNamed } = await import('${texts}');
      const { text } = textNamed('repeated-english:${STRESS}');
      const tokenizer = Tokenizer.loadSync('${profile}');
      const some = tokenizer.encode(text.slice(0, 1e6)).length;
      let ids;
      const times = [1, 2, 3].map(() => timed(() => { ids = tokenizer.encode(text); }));
      if (Math.abs(ids.length / some - text.length / 1e6) > 1) throw new Error('the ids are too few or too many');
      print(Math.min(...times) / 1e6);`,
  })),
  ...['lite', 'standard'].map((profile) => ({
    operation: `100 million ids of a repeated sentence, encode with ${profile}`,
    unit: 'ms',
    source: `const { textNamed } = await import('${texts}');
      const tokenizer = Tokenizer.loadSync('${profile}');
      const some = textNamed('repeated-english').text;
      const text = some.repeat(Math.ceil(1e8 / tokenizer.encode(some).length));
      let ids;
      const time = timed(() => { ids = tokenizer.encode(text); });
      if (ids.length < 0.999e8) throw new Error('the ids are too few');
      print(time / 1e6);`,
  })),
];

export async function cartridges({ options, rows, say }) {
  const add = (operation, unit, samples, contender = 'crayon') =>
    rows.add({ section: 'cartridges', encoding: '', text: '', operation, contender, unit, samples });
  for (const { operation, unit, source, dropped } of TIMES) {
    say(`cartridges: ${operation}`);
    const samples = [];
    for (let repeat = 0; repeat < options.loads; repeat++) {
      if (dropped && !dropFromCache(path.join(project, dropped))) break;
      samples.push(measured(source));
    }
    add(operation, unit, samples);
    if (operation in PUBLISHED_TIMES) add(operation, unit, [PUBLISHED_TIMES[operation]], 'published');
  }
  say('cartridges: 450 MB');
  const { speed, resident, empty } = countLarge();
  add('count of 450 MB in a file, by the command, lite', 'MB/s', [speed]);
  add('count of 450 MB in a file, resident memory at most', 'MB', [resident]);
  add('the same of an empty file', 'MB', [empty]);
}

function measured(source) {
  const program = `import { compileCartridge, Tokenizer } from '${entryOf()}';
    import { shortCall, timed, timer } from '${timing}';
    const print = (value) => console.log(JSON.stringify(value));
    ${source}`;
  return JSON.parse(run(['--input-type=module', '--max-old-space-size=8192', '-e', program]).stdout);
}

function run(args) {
  const options = { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
  const result = spawnSync(process.execPath, args, options);
  if (result.status !== 0) throw new Error(`a process failed:\n${result.stderr}`);
  return result;
}

/** Makes the system drop a file's pages from its cache (posix_fadvise, by dd); false if it cannot. */
function dropFromCache(file) {
  const { status } = spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
  return status === 0;
}

/** The command reads a file in parts of 1 MiB and counts them as one text: the peak memory of the process, in MB. */
function countLarge() {
  const file = path.join(cacheFolder(), `large-${process.pid}.txt`);
  const { bytes, text } = textNamed('english');
  try {
    const speedOf = (size) => {
      fs.writeFileSync(file, '');
      for (let written = 0; written < size; written += bytes) fs.appendFileSync(file, text);
      const say = `process.on('exit', () => console.error(process.resourceUsage().maxRSS, process.uptime()))`;
      const hook = `data:text/javascript,${encodeURIComponent(say)}`;
      const { stderr } = run(['--import', hook, path.join(project, 'dist', 'cli.js'), 'count', '-e', 'lite', file]);
      const [kilobytes, seconds] = stderr.trim().split(' ').map(Number);
      return { resident: (kilobytes * 1024) / 1e6, seconds, size: fs.statSync(file).size };
    };
    const none = speedOf(0);
    const all = speedOf(LARGE);
    return { speed: all.size / 1e6 / (all.seconds - none.seconds), resident: all.resident, empty: none.resident };
  } finally {
    fs.rmSync(file, { force: true });
  }
}
