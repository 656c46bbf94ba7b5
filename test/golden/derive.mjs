/**
 * `npm run golden`: derives the goldens anew from the live references (see references.mjs) and writes them here, and the
 * ones in the package to lib/cli/samples.ts.
 *
 *     npm run golden                 everything
 *     npm run golden -- --fixtures   only the fixtures (seconds); also: --corpora, --code-points, --block-edges, --samples
 *     npm run golden -- --profiles   only the texts for the profiles
 *     npm run golden -- --check      writes nothing; fails if anything differs from the committed files
 *     npm run golden -- --workers N  threads (default: one per core)
 *
 * Every file is decoded as UTF-8 with U+FFFD for invalid bytes (a leading byte order mark stays), since the references
 * take strings; deliberately invalid files are encoded as that text. Without `../shared` the corpora cannot be derived and
 * their committed goldens stay unchanged.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { corpora, sha256, textOf } from '../corpora.mjs';
import { blockEdgeDigests } from './block-edges.mjs';
import { codePointDigests } from './code-points.mjs';
import { PREFIX_UNITS, digestOf, fixtures, format, goldenFolder, hasLongPieces, prefixOf, readGolden } from './goldens.mjs';
import { DISTINCT_ENCODINGS, TIKTOKEN_ENCODINGS, loadTiktoken, loadTokenizers, versionOf } from './references.mjs';
import { PROFILES, loadProfile } from './longest-match.mjs';
import { samplesModule } from './samples.mjs';

const options = {
  fixtures: { type: 'boolean' },
  corpora: { type: 'boolean' },
  profiles: { type: 'boolean' },
  'code-points': { type: 'boolean' },
  'block-edges': { type: 'boolean' },
  samples: { type: 'boolean' },
  check: { type: 'boolean' },
  workers: { type: 'string' },
};

/** The goldens of `crayon verify`. */
const samplesFile = fileURLToPath(new URL('../../lib/cli/samples.ts', import.meta.url));

/** The sweeps for each distinct encoding: section → digests by a given `encode`. */
const SWEEPS = { 'code-points': codePointDigests, 'block-edges': blockEdgeDigests };

/** A unit of work for one thread: one text, or one sweep, under one encoding. */
async function derive(job, state) {
  if (state.encoding !== job.encoding) {
    state.tiktoken?.free();
    const load = PROFILES.includes(job.encoding) ? loadProfile : loadTiktoken;
    Object.assign(state, { encoding: job.encoding, tiktoken: await load(job.encoding), tokenizers: undefined });
  }
  const { tiktoken } = state;
  if (job.section in SWEEPS) return SWEEPS[job.section](tiktoken.encode);
  const text = textOf(fs.readFileSync(job.path));
  if (!job.longPieces) {
    const ids = tiktoken.encode(text);
    return [ids.length, digestOf(ids)];
  }
  state.tokenizers ??= await loadTokenizers(job.encoding);
  const prefix = prefixOf(text, PREFIX_UNITS);
  const [first, second] = [tiktoken.encode(prefix), await state.tokenizers.encode(prefix)];
  if (digestOf(first) !== digestOf(second)) {
    throw new Error(`${job.encoding}, ${job.name}: the two references differ on the first ${prefix.length} units`);
  }
  const whole = await state.tokenizers.encode(text);
  return { prefix: [prefix.length, first.length, digestOf(first)], whole: [whole.length, digestOf(whole)] };
}

function serve() {
  const state = {};
  parentPort.on('message', async (job) => {
    try {
      parentPort.postMessage({ job, result: await derive(job, state) });
    } catch (error) {
      parentPort.postMessage({ job, error: error.stack });
    }
  });
}

/** Distributes all jobs over the threads; each thread stays with one encoding while that has jobs left. */
function runAll(jobs, threads, onDone) {
  const waiting = [...jobs].sort((a, b) => b.bytes - a.bytes);
  const total = jobs.reduce((sum, job) => sum + job.bytes, 0);
  const began = Date.now();
  let finished = 0;
  let busy = 0;
  return new Promise((resolve, reject) => {
    const workers = [];
    const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
    const next = (worker) => {
      const near = waiting.findIndex((job) => job.encoding === worker.encoding);
      const [job] = waiting.splice(Math.max(near, 0), 1);
      if (job === undefined) {
        if (busy === 0) stop().then(resolve, reject);
        return;
      }
      busy++;
      worker.encoding = job.encoding;
      worker.postMessage(job);
    };
    for (let i = 0; i < Math.min(threads, jobs.length); i++) {
      const worker = new Worker(new URL(import.meta.url));
      workers.push(worker);
      worker.on('error', reject);
      worker.on('message', ({ job, result, error }) => {
        if (error !== undefined) return void stop().then(() => reject(new Error(error)));
        onDone(job, result);
        busy--;
        finished += job.bytes;
        const seconds = ((Date.now() - began) / 1000).toFixed(0);
        console.log(`${((100 * finished) / total).toFixed(1).padStart(5)} %  ${seconds.padStart(4)} s  ${job.encoding}  ${job.name}`);
        next(worker);
      });
      next(worker);
    }
    if (jobs.length === 0) resolve();
  });
}

async function main() {
  const { values: flags } = parseArgs({ options });
  const all = !['fixtures', 'corpora', 'profiles', 'samples', ...Object.keys(SWEEPS)].some((section) => flags[section]);
  const texts = [];
  if (all || flags.profiles || flags.fixtures) texts.push(...fixtures().map((file) => ({ section: 'fixtures', ...file })));
  if (all || flags.profiles || flags.corpora) {
    const files = corpora({ assembled: true });
    if (files === null) console.log('../shared/corpora is absent: the goldens of the corpora stay as they are');
    texts.push(...(files ?? []).map(({ name, path }) => ({ section: 'corpora', name, path, longPieces: hasLongPieces(name) })));
  }
  const hashes = { fixtures: {}, corpora: {} };
  const jobs = [];
  for (const text of texts) {
    const contents = fs.readFileSync(text.path);
    hashes[text.section][text.name] = [contents.length, sha256(contents)];
    for (const encoding of flags.profiles ? [] : TIKTOKEN_ENCODINGS) jobs.push({ ...text, encoding, bytes: contents.length });
    for (const encoding of PROFILES) jobs.push({ ...text, longPieces: false, encoding, bytes: contents.length });
  }
  for (const section of Object.keys(SWEEPS)) {
    if (!all && !flags[section]) continue;
    for (const encoding of DISTINCT_ENCODINGS) jobs.push({ section, name: 'sweep', encoding, bytes: 100e6 });
  }

  const results = {};
  await runAll(jobs, Number(flags.workers ?? os.availableParallelism()), (job, result) => {
    results[`${job.section} ${job.name} ${job.encoding}`] = result;
  });

  const written = [];
  const put = (name, value) => written.push([path.join(goldenFolder, `${name}.json`), format(value)]);
  const reference = `tiktoken ${versionOf('tiktoken')}, encode(text, [], [])`;
  const secondReference = `tokenizers ${versionOf('tokenizers')}, the ranks and pattern of tiktoken ${versionOf('tiktoken')}`;
  const previousTexts = readGolden('texts') ?? {};
  put('texts', {
    fixtures: pick(hashes.fixtures, previousTexts.fixtures),
    corpora: pick(hashes.corpora, previousTexts.corpora),
  });
  for (const encoding of flags.profiles ? [] : TIKTOKEN_ENCODINGS) {
    const previous = readGolden(encoding) ?? {};
    const section = { fixtures: {}, corpora: {}, prefixes: {}, longPieces: {} };
    for (const text of texts) {
      const result = results[`${text.section} ${text.name} ${encoding}`];
      if (text.longPieces) {
        section.prefixes[text.name] = result.prefix;
        section.longPieces[text.name] = result.whole;
      } else {
        section[text.section][text.name] = result;
      }
    }
    const sections = Object.entries(section).map(([key, value]) => [key, pick(value, previous[key])]);
    put(encoding, { encoding, reference, secondReference, ...Object.fromEntries(sections) });
  }
  for (const encoding of PROFILES) {
    const previous = readGolden(encoding) ?? {};
    const rows = (section) =>
      texts.filter((text) => text.section === section).map(({ name }) => [name, results[`${section} ${name} ${encoding}`]]);
    const sections = ['fixtures', 'corpora'].map((key) => [key, pick(Object.fromEntries(rows(key)), previous[key])]);
    put(encoding, { encoding, reference: 'the naive longest match of longest-match.mjs', ...Object.fromEntries(sections) });
  }
  for (const section of Object.keys(SWEEPS)) {
    const previous = readGolden(section) ?? {};
    const digests = DISTINCT_ENCODINGS.map((encoding) => [encoding, results[`${section} sweep ${encoding}`] ?? previous[encoding] ?? {}]);
    put(section, { reference, ...Object.fromEntries(digests) });
  }

  if (all || flags.samples) written.push([samplesFile, await samplesModule()]);

  let differing = 0;
  for (const [file, text] of written) {
    if (flags.check) {
      const same = fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text;
      if (!same) differing++;
      console.log(`${path.basename(file)} ${same ? 'is the same' : 'DIFFERS'}`);
    } else {
      fs.writeFileSync(file, text);
    }
  }
  if (differing > 0) process.exitCode = 1;
}

/** The newly derived golden, or else the existing one. */
function pick(derived, previous) {
  return Object.keys(derived).length > 0 ? derived : (previous ?? {});
}

if (isMainThread) await main();
else serve();
