/** The tables of a result, as markdown. */
import { circumstances } from '../circumstances.mjs';
import { grid, shown } from '../tables.mjs';
import { titleOf, TEXTS } from './documents.mjs';
import { RUNS } from './engine.mjs';
import { OWN, onThreads } from './latency.mjs';
import { amdahl, parts, scheduled, stagesOf } from './model.mjs';
import { CHUNK, OVERLAP } from './strategies.mjs';

/** The targets of this package. */
const MOST_SERIAL = 0.02; // cut and stitch, as a share of all stages
const LEAST_MODELLED = 12; // times as fast with 16 threads
const MOST_ON_RUNS = 1.2; // as a share of the time of one thread
const MOST_ON_CORPORA = 1.02;

/** Cores that others use, above which times mean little. */
const BUSY = 0.1;

const unique = (values) => [...new Set(values)];
const times = (value) => `${shown(value)}×`;
const percent = (value) => `${(100 * value).toFixed(2)} %`;
const lengthOf = (length) => (length >= 1e6 ? `${length / 1e6}M` : `${length / 1000}k`);
const titleOfText = (text) => {
  const [stem, size] = text.split('-');
  return `${TEXTS.includes(stem) ? titleOf(stem) : (RUNS[stem]?.title ?? stem)}${size ? `, a ${size}` : ''}`;
};

/** Rows of ours that are not exact: there must be none. */
export function inexact({ rows }) {
  return rows.filter(({ contender, section, accuracy }) => {
    const isOwn = contender.startsWith(OWN) || ['slices', 'threads', 'batches', 'stages', 'runs', 'thresholds'].includes(section);
    return isOwn && accuracy !== 1;
  });
}

/** @param {object} result @param {Record<string, string>} pictures files by name */
export function report(result, pictures = {}) {
  const { rows, packages, options, seconds } = result;
  const has = (section) => rows.some((row) => row.section === section);
  const picture = (name, text) => (pictures[name] ? ['', `![${text}](${pictures[name]})`] : []);
  return [
    '# Long documents on several threads',
    '',
    `- ${options.cores} cores; ${seconds} s`,
    ...circumstances(result),
    ...(result.foreign > BUSY ? ['- **others were at work: accuracy, shares and counts hold, times are not to be relied on**'] : []),
    `- ${Object.entries(packages)
      .map((each) => each.join(' '))
      .join(', ')}`,
    '',
    'Accuracy is the share of documents whose ids are exactly those of the reference. Times are wall time, medians.',
    '',
    ...(has('latency') ? latencyTables(rows, options.cores, picture) : []),
    ...(has('slices') ? sliceTables(rows) : []),
    ...(has('threads') ? threadTables(rows, options.cores, picture) : []),
    ...(has('batches') ? batchTables(rows) : []),
    ...(has('stages') ? stageTables(rows) : []),
    ...(has('runs') ? runTables(rows, options.cores) : []),
    ...(has('thresholds') ? thresholdTables(rows) : []),
    ...(has('masks') ? maskTables(rows) : []),
    ...(has('strategies') ? strategyTables(rows, picture) : []),
    ...aims(result),
  ].join('\n');
}

function latencyTables(rows, cores, picture) {
  const all = rows.filter(({ section }) => section === 'latency');
  const out = [
    '## Latency of one document, ms',
    '',
    '`encode` (crayon), and `encodeAsync` with a number of threads, beside other packages; by the length in characters. A cell is',
    'empty where one document would take more than 4 seconds.',
    ...picture('latency', 'latency by length, o200k_base'),
    '',
  ];
  const lengths = unique(all.map(({ length }) => length));
  for (const encoding of unique(all.map((row) => row.encoding))) {
    const some = all.filter((row) => row.encoding === encoding);
    const contenders = unique(some.map(({ contender }) => contender));
    const table = (field) =>
      unique(some.map(({ text }) => text)).flatMap((text) =>
        contenders.flatMap((contender) => {
          const cells = lengths.map((length) =>
            some.find((row) => row.text === text && row.contender === contender && row.length === length),
          );
          if (cells.every((cell) => cell === undefined)) return [];
          const documents = cells.reduce((sum, cell) => sum + (cell?.documents ?? 0), 0);
          const right = cells.reduce((sum, cell) => sum + (cell ? cell.accuracy * cell.documents : 0), 0);
          return [[`${titleOf(text)}: ${contender}`, ...cells.map((cell) => (cell ? shown(cell[field]) : '')), shown(right / documents)]];
        }),
      );
    const head = (name) => [`${encoding}, ${name}`, ...lengths.map(lengthOf), 'accuracy'];
    out.push(...grid(head('again and again'), table('value')), '');
    out.push(...grid(head('met for the first time'), table('first')), '');
  }
  const ratios = [];
  for (const encoding of unique(all.map((row) => row.encoding))) {
    for (const text of unique(all.map((row) => row.text))) {
      const at = (contender, length) =>
        all.find((row) => row.encoding === encoding && row.text === text && row.contender === contender && row.length === length)?.value;
      const own = (length) => at(onThreads(cores), length);
      for (const contender of [OWN, 'tokenizers']) {
        const cells = lengths.map((length) => (at(contender, length) && own(length) ? times(at(contender, length) / own(length)) : ''));
        if (cells.some((cell) => cell !== '')) ratios.push([`${encoding}, ${titleOf(text)}: than ${contender}`, ...cells]);
      }
    }
  }
  out.push(...grid([`${onThreads(cores)}: times as fast`, ...lengths.map(lengthOf)], ratios), '');
  return out;
}

function sliceTables(rows) {
  const all = rows.filter(({ section }) => section === 'slices');
  const out = [
    '## Length of slices',
    '',
    'How many times as fast as one encoder, in the engine, by threads. The text is met for the first time, by encoders that have',
    'met another one of its kind.',
    '',
  ];
  const slices = unique(all.map(({ slice }) => slice)).filter((slice) => slice > 0);
  for (const encoding of unique(all.map((row) => row.encoding))) {
    const some = all.filter((row) => row.encoding === encoding);
    const columns = unique(some.map(({ text }) => text)).flatMap((text) =>
      unique(some.filter(({ slice }) => slice > 0).map(({ threads }) => threads)).map((threads) => ({ text, threads })),
    );
    const body = slices.map((slice) => {
      const cells = columns.map(({ text, threads }) =>
        some.find((row) => row.text === text && row.threads === threads && row.slice === slice),
      );
      const alone = (text) => some.find((row) => row.text === text && row.contender === 'one encoder').value;
      return [
        `${slice / 1024} KiB`,
        ...cells.map((cell) => times(alone(cell.text) / cell.value)),
        shown(mean(cells.map(({ accuracy }) => accuracy))),
      ];
    });
    out.push(...grid([encoding, ...columns.map(({ text, threads }) => `${titleOfText(text)}, ${threads}`), 'accuracy'], body), '');
  }
  return out;
}

function threadTables(rows, cores, picture) {
  const all = rows.filter(({ section }) => section === 'threads');
  const out = [
    '## Threads',
    '',
    'How many times as fast as one encoder, in the engine, the calling thread being one of them, for a text that is met for the',
    `first time. More than ${cores} threads share the ${cores} cores.`,
    '',
  ];
  out.push(...picture('threads', 'times as fast by threads: measured, and by the model').slice(1), '');
  const columns = unique(all.map(({ encoding, text }) => `${encoding}, ${text}`));
  const body = unique(all.filter(({ contender }) => contender === 'threads').map(({ threads }) => threads)).map((threads) => {
    const cells = columns.map((column) => {
      const some = all.filter(({ encoding, text }) => `${encoding}, ${text}` === column);
      const alone = some.find(({ contender }) => contender === 'one encoder').value;
      const row = some.find((each) => each.contender === 'threads' && each.threads === threads);
      return { ratio: alone / row.value, accuracy: row.accuracy };
    });
    return [
      `${threads}${threads > cores ? ', oversubscribed' : ''}`,
      ...cells.map(({ ratio }) => times(ratio)),
      shown(mean(cells.map(({ accuracy }) => accuracy))),
    ];
  });
  const head = columns.map((column) => column.replace(/, (.*)$/, (_, text) => `, ${titleOfText(text)}`));
  return [...out, ...grid(['threads', ...head, 'accuracy'], body), ''];
}

function batchTables(rows) {
  const all = rows.filter(({ section }) => section === 'batches');
  const out = [
    '## Batches',
    '',
    'How many times as fast as one encoder, in the engine: a thread for each document; all threads for one document after the',
    'other; one job with all documents, which is what `encodeBatch` does. The same documents again and again.',
    '',
  ];
  for (const encoding of unique(all.map((row) => row.encoding))) {
    for (const text of unique(all.map((row) => row.text))) {
      const some = all.filter((row) => row.encoding === encoding && row.text === text);
      const contenders = unique(some.map(({ contender }) => contender)).filter((name) => name !== 'one encoder');
      const body = unique(some.map(({ documents }) => documents)).map((documents) => {
        const of = (contender) => some.find((row) => row.documents === documents && row.contender === contender);
        const alone = of('one encoder');
        return [
          String(documents),
          shown(alone.value),
          ...contenders.map((contender) => times(alone.value / of(contender).value)),
          shown(mean(contenders.map((contender) => of(contender).accuracy))),
        ];
      });
      const size = Math.round(some[0].bytes / some[0].documents / 1000);
      const head = [`${encoding}, ${titleOfText(text)}: documents of ${size} KB`, 'one encoder, ms', ...contenders, 'accuracy'];
      out.push(...grid(head, body), '');
    }
  }
  return out;
}

function stageTables(rows) {
  const stages = rows.filter(({ section }) => section === 'stages');
  const pairs = unique(stages.map(({ encoding, text }) => `${encoding} ${text}`)).map((pair) => pair.split(' '));
  const threads = unique(stages.filter(({ contender }) => contender === 'virtual threads').map((row) => row.threads));
  const most = threads.includes(16) ? 16 : Math.max(...threads);
  const shares = pairs.map(([encoding, text]) => {
    const row = stagesOf(rows, encoding, text).byThreads.get(most);
    const all = row.cut + row.encode + row.meet + row.stitch + row.copy;
    return [
      `${encoding}, ${titleOfText(text)}`,
      ...['cut', 'encode', 'meet', 'stitch', 'copy'].map((stage) => percent(row[stage] / all)),
      percent(serialShare(row)),
      String(row.slices),
      shown(row.accuracy),
    ];
  });
  const modelled = pairs.flatMap(([encoding, text]) => {
    const found = stagesOf(rows, encoding, text);
    const { alone, byThreads } = found;
    const columns = threads.filter((count) => count > 1);
    return [
      [`${encoding}, ${titleOfText(text)}: Amdahl`, ...columns.map((count) => times(amdahl(byThreads.get(most), count)))],
      ['… schedule', ...columns.map((count) => times(scheduled(found, count)))],
      ['… its work, of one encoder’s', ...columns.map((count) => times(byThreads.get(count).encode / alone.value))],
    ];
  });
  return [
    '## What the parts of a job take',
    '',
    `A job as ${most} threads would do it, done by one, with its tasks timed: cut, slices are planned and handed out; encode;`,
    'meet, where two chains join is searched; stitch, results are handed in and accepted; copy, ids are gathered. The text is met',
    'for the first time, by encoders that have met another one of its kind: 4 million characters (2 of Chinese), or a quarter.',
    '',
    ...grid(['share of the time', 'cut', 'encode', 'meet', 'stitch', 'copy', 'cut + meet + stitch', 'slices', 'accuracy'], shares),
    '',
    '### More threads: a model, **not a measurement**',
    '',
    `How many times as fast as one encoder. *Amdahl*: the shares above, cut, meet and stitch by one thread at a time.`,
    '*Schedule*: each thread has a clock and an encoder with its own cache of pieces, and its tasks take as long as they did',
    'here; so it knows slices of unequal length, guesses in vain and waiting for the lock, but not what threads do to the',
    'memory that they share, nor how long they take to wake up. The text is new to each thread, so together they have more',
    'work than one encoder (*its work*), which learns only once what comes again; and all of them ran on one core, where they',
    'pushed each other out of its caches. Tasks and the one encoder are timed by what the thread had of a CPU.',
    '',
    ...grid(['model, times as fast', ...threads.filter((count) => count > 1).map((count) => `${count} threads`)], modelled),
    '',
  ];
}

/** As a share of all stages. */
function serialShare(row) {
  const { serial, parallel } = parts(row);
  return serial / (serial + parallel);
}

function runTables(rows, cores) {
  const all = rows.filter(({ section }) => section === 'runs');
  const body = unique(all.map(({ encoding, text }) => `${encoding} ${text}`)).map((pair) => {
    const [encoding, text] = pair.split(' ');
    const { alone, one, many, few, most } = runOf(rows, encoding, text, cores);
    return [
      `${encoding}, ${titleOfText(text)}`,
      shown(alone.value),
      times(one.value / alone.value),
      times(many.value / alone.value),
      ...[few, most].map(({ slices, meetings, again, wasted }) => `${slices} · ${meetings} · ${again} · ${wasted}`),
      shown(mean([alone, one, many, few, most].map(({ accuracy }) => accuracy))),
    ];
  });
  const counts = (threads) => `${threads} threads: slices · searched · again · in vain`;
  return [
    '## Texts that are hard to divide, and retries',
    '',
    `Time as a multiple of one encoder's, measured in the engine (less is better; asked of one thread: ${MOST_ON_RUNS} at most, ${MOST_ON_CORPORA} on corpora),`,
    'and by the schedule of the model: how many slices there are, for how many of them a common stop had to be searched, how',
    'many were encoded again, and how many guesses were in vain.',
    '',
    ...grid(['text', 'one encoder, ms', '1 thread', `${cores} threads`, counts(cores), counts(16), 'accuracy'], body),
    '',
  ];
}

function runOf(rows, encoding, text, cores) {
  const some = rows.filter((row) => row.section === 'runs' && row.encoding === encoding && row.text === text);
  const of = (contender, threads) => some.find((row) => row.contender === contender && row.threads === threads);
  return {
    alone: of('one encoder', 1),
    one: of('threads', 1),
    many: of('threads', cores),
    few: of('virtual threads', cores),
    most: of('virtual threads', 16),
  };
}

function thresholdTables(rows) {
  const all = rows.filter(({ section }) => section === 'thresholds');
  const body = unique(all.map(({ encoding, text }) => `${encoding} ${text}`)).map((pair) => {
    const [encoding, text] = pair.split(' ');
    const some = [1, 2].map((threshold) =>
      all.find((row) => row.encoding === encoding && row.text === text && row.threshold === threshold),
    );
    const cells = some.map(({ slices, meetings, again }) => `${slices} · ${meetings} · ${again}`);
    return [`${encoding}, ${titleOfText(text)}`, ...cells, shown(mean(some.map(({ accuracy }) => accuracy)))];
  });
  return [
    '## Retries when parts overlap',
    '',
    `\`strategy: 'overlap'\` on 16 threads of the model, with parts of ${CHUNK} bytes that overlap by ${OVERLAP}: how many parts there are, for how`,
    'many a common stop had to be searched because the overlap had fewer than T in common, and how many were encoded again.',
    '',
    ...grid(['parts · searched · again', 'T = 1', 'T = 2', 'accuracy'], body),
    '',
  ];
}

function maskTables(rows) {
  const all = rows.filter(({ section }) => section === 'masks');
  const columns = unique(all.map(({ encoding, text }) => `${encoding} ${text}`)).map((pair) => pair.split(' '));
  const body = unique(all.map(({ operation }) => operation)).map((operation) => {
    const some = columns.map(([encoding, text]) =>
      all.find((row) => row.encoding === encoding && row.text === text && row.operation === operation),
    );
    const [{ documents, length }] = some;
    return [
      `${operation}, ${documents} × ${lengthOf(length)}`,
      ...some.map(({ value }) => shown(value)),
      shown(mean(some.map(({ accuracy }) => accuracy))),
    ];
  });
  const head = ['ms', ...columns.map(([encoding, text]) => `${encoding}, ${titleOf(text)}`), 'accuracy'];
  return ['## Ids and attention masks', '', ...grid(head, body), ''];
}

function strategyTables(rows, picture) {
  const all = rows.filter(({ section }) => section === 'strategies');
  const out = [
    '## Other strategies',
    '',
    `Each with our encoder of one thread for its chunks of ${CHUNK} bytes with ${OVERLAP} in common (after delimiters: characters, none in`,
    'common), run one after the other. *Sum* is all of their time, *ideal* what it would be if every chunk had a core of its own',
    'and handing over cost nothing, both as multiples of one `encode`. *Again*: how often a document was begun again; *whole*:',
    'how many were encoded as one chunk at last.',
    '',
    ...picture('accuracy', 'accuracy by strategy').slice(1),
    '',
  ];
  for (const encoding of unique(all.map((row) => row.encoding))) {
    const some = all.filter((row) => row.encoding === encoding);
    const body = unique(some.map(({ contender }) => contender)).map((contender) => {
      const of = (text) => some.find((row) => row.contender === contender && row.text === text);
      const [documents, hard] = [of('documents'), of('counterexamples')];
      const alone = some.find((row) => row.contender === OWN && row.text === 'documents').value;
      return [
        contender,
        shown(documents.accuracy),
        `${hard.documents - hard.wrong.length} of ${hard.documents}`,
        `${documents.retries}, ${hard.retries}`,
        `${documents.whole}, ${hard.whole}`,
        times(documents.value / alone),
        contender.startsWith(OWN) ? '' : times(documents.ideal / alone),
      ];
    });
    const count = some[0].documents;
    const head = [`${encoding}, ${count} documents`, 'accuracy', 'counterexamples right', 'again', 'whole', 'sum', 'ideal'];
    out.push(...grid(head, body), '');
  }
  return out;
}

/** This package's targets, and its results. */
function aims(result) {
  const { rows, options } = result;
  const body = [];
  const state = (name, asked, found, isMet) => body.push([name, asked, found, isMet ? 'met' : '**missed**']);
  const wrong = inexact(result).length;
  state('ids of ours, everywhere', 'exact', wrong === 0 ? 'exact' : `${wrong} rows are not`, wrong === 0);
  const stages = rows.filter((row) => row.section === 'stages' && row.contender === 'virtual threads' && row.threads === 16);
  if (stages.length > 0) {
    const worst = (some, value) => some.reduce((a, b) => (value(a) >= value(b) ? a : b));
    const named = (row) => `${row.encoding}, ${titleOfText(row.text)}`;
    const share = worst(stages, serialShare);
    state(
      'cut + meet + stitch, 16 threads, most',
      `≤ ${percent(MOST_SERIAL)}`,
      `${percent(serialShare(share))} (${named(share)})`,
      serialShare(share) <= MOST_SERIAL,
    );
    const models = {
      Amdahl: (row) => amdahl(row, 16),
      schedule: (row) => scheduled(stagesOf(rows, row.encoding, row.text), 16),
    };
    for (const [name, of] of Object.entries(models)) {
      const row = worst(stages, (each) => -of(each));
      state(`model at 16 threads, ${name}, least`, `≥ ${LEAST_MODELLED}×`, `${times(of(row))} (${named(row)})`, of(row) >= LEAST_MODELLED);
    }
    const runs = unique(rows.filter(({ section }) => section === 'runs').map(({ encoding, text }) => `${encoding} ${text}`))
      .map((pair) => pair.split(' '))
      .map(([encoding, text]) => ({ encoding, text, ...runOf(rows, encoding, text, options.cores) }));
    for (const [name, isOf, most] of [
      ['runs', ({ text }) => text in RUNS, MOST_ON_RUNS],
      ['corpora', ({ text }) => !(text in RUNS), MOST_ON_CORPORA],
    ]) {
      for (const count of ['one', 'many']) {
        const threads = count === 'one' ? 1 : options.cores;
        const slowest = worst(runs.filter(isOf), (run) => run[count].value / run.alone.value);
        const ratio = slowest[count].value / slowest.alone.value;
        state(
          `${name}: time with ${threads} of one encoder's, most`,
          `≤ ${times(most)}`,
          `${times(ratio)} (${named(slowest)})`,
          ratio <= most,
        );
      }
    }
  }
  return ['## Asked', '', ...grid(['', 'asked', 'found', ''], body), ''];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
