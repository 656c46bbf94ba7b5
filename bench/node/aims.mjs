/**
 * The performance aims. Each names its row and the value it must have. An aim that a run could have measured, by
 * its sections, texts, encodings and contenders, but has no row for is reported as missing.
 */
import { REAL_TEXTS } from '../texts/texts.mjs';
import { PUBLISHED_SPEED } from './published.mjs';
import { higherIsBetter, rowWith } from './rows.mjs';

const O200K = 'o200k_base';
const own = (fields) => ({ encoding: O200K, contender: 'crayon', ...fields });
const wasm = (fields) => own({ ...fields, contender: 'crayon-wasm' });
/** The contenders that are fast on short strings without an addon. */
const SHORT_STRING_PEERS = ['hypertok', 'gpt-tokenizer', 'bpe-lite', 'ai-tokenizer'];

/** The required factor over the published speed, by domain. */
const OVER_PUBLISHED = { english: 6, code: 6, unicode: 3, mixed: 3 };

/** @type {{ title: string, row: object, against?: string, atLeast?: number, atMost?: number, unit: string }[]} */
export const aims = [
  { title: 'load, file cache warm', row: own({ section: 'load', operation: 'load' }), atMost: 1, unit: 'ms' },
  {
    title: 'process to first ids, over an empty one',
    row: own({ section: 'load', operation: 'first ids, over an empty process' }),
    atMost: 25,
    unit: 'ms',
  },
  {
    title: 'private memory gained by loading, the mapped file aside',
    row: own({ section: 'memory', operation: 'loaded, private' }),
    atMost: 20,
    unit: 'MB',
  },
  { title: 'package, packed', row: { section: 'package', operation: 'packed' }, atMost: 20, unit: 'MB' },
  {
    title: 'the cartridge of o200k_base',
    row: { section: 'package', operation: 'the cartridge o200k_base' },
    atMost: 12,
    unit: 'MB',
  },
  ...warmAim('english', 'English', [
    { atLeast: 100 },
    { against: 'gpt-tokenizer', atLeast: 8 },
    { atLeast: 450 },
    { against: 'hypertok', atLeast: 2.2 },
  ]),
  ...warmAim('code', 'code', [{ atLeast: 400 }, { against: 'hypertok', atLeast: 2 }]),
  ...warmAim('chinese-japanese', 'Chinese + Japanese', [{ atLeast: 280 }, { against: 'hypertok', atLeast: 1.9 }]),
  ...warmAim('languages', '14 languages', [{ atLeast: 270 }, { against: 'hypertok', atLeast: 2.2 }]),
  ...warmAim('chat', 'chat messages, one by one', [{ atLeast: 120 }, { against: 'hypertok', atLeast: 2.5 }]),
  {
    title: 'chat messages, as a batch',
    row: own({ section: 'warm', text: 'chat', operation: 'encodeBatch' }),
    atLeast: 180,
    unit: 'MB/s',
  },
  ...firstAim('english', 'English', 8),
  ...firstAim('code', 'code', 3),
  ...firstAim('chinese-japanese', 'Chinese + Japanese', 6),
  ...firstAim('languages', '14 languages', 5),
  ...firstAim('chat', 'chat messages', 4),
  ...callAim('hi', "'hi'", 0.15),
  ...callAim('english-60', '60 characters of English', 0.45),
  ...callAim('chinese-20', '20 characters of Chinese', 0.5),
  operationAim('count, 100 KB of English', { atMost: 0.5, unit: 'ms' }),
  operationAim('decode, 1 MB of English', { atLeast: 400, unit: 'MB/s' }),
  ...['', ' with 64 of overlap'].map((overlap) =>
    operationAim(`split, 512 tokens${overlap}, 10 MB of English, over one encode of it`, { atMost: 1.3, unit: '×' }),
  ),
  ...['1 MB', '60 characters'].flatMap((size) =>
    ['utf16', 'bytes'].map((unit) =>
      operationAim(`encodeWithOffsets, ${unit}, ${size} of English, over encode`, { atMost: 1.5, unit: '×' }),
    ),
  ),
  operationAim('encodeBatch of the chat messages, over a loop of encode', { atMost: 0.9, unit: '×' }),
  ...wasmAim('english', 'English', 4),
  ...wasmAim('code', 'code', 2),
  ...wasmAim('chinese-japanese', 'Chinese + Japanese', 4),
  ...wasmAim('languages', '14 languages', 3),
  ...wasmCallAim('hi', "'hi'", 1),
  ...wasmCallAim('english-5', '5 characters of English', 1),
  ...wasmCallAim('english-20', '20 characters of English', 1.5),
  ...wasmCallAim('english-60', '60 characters of English', 1.5),
  ...wasmCallAim('chinese-20', '20 characters of Chinese', 1.5),
  ...profileAim('lite', { english: 350, code: 450 }),
  ...profileAim('standard', { english: 220, code: 260 }),
  cartridgeAim('open lite first, file cached', 0.5, 'ms'),
  cartridgeAim('swap between lite and standard, both open', 10, 'µs'),
  cartridgeAim('using standard for nothing, both open', 10, 'µs'),
  cartridgeAim('compile a list of 367 tokens', 38, 'ms'),
  cartridgeAim('compile a list of 206,373 tokens to version 2', 100, 'ms'),
  cartridgeAim('compile a list of 206,373 tokens', 150, 'ms'),
  cartridgeAim('95 MiB of a repeated sentence, encode', 200, 'ms'),
  cartridgeAim('95 MiB of a repeated sentence, encode with standard', 200, 'ms'),
  {
    title: 'JavaScript heap after a million encodes',
    row: own({ section: 'heap', operation: 'JavaScript heap' }),
    atMost: 0.1,
    unit: 'MB',
  },
];

/**
 * Adversarial texts: the minimum for each, first pass and repeated, and targets for runs and random texts.
 */
export const adversarialAims = { atLeast: 20, runs: 120, random: 80 };

function warmAim(text, title, each) {
  const row = own({ section: 'warm', text, operation: 'encode' });
  return each.map(({ against, atLeast }) => ({
    title: `${title}, warm`,
    row,
    against,
    atLeast,
    unit: against ? '×' : 'MB/s',
  }));
}

function firstAim(text, title, atLeast) {
  return ['first sight', 'first pass'].map((operation) => {
    const row = own({ section: 'first-sight', text, operation });
    return { title: `${title}, ${operation}`, row, against: 'hypertok', atLeast, unit: '×' };
  });
}

function callAim(text, title, atMost) {
  return [{ title: `encode of ${title}`, row: own({ section: 'calls', text, operation: 'encode' }), atMost, unit: 'µs' }];
}

function wasmAim(text, title, atFirstSight) {
  const of = (section, operation, atLeast) => ({
    title: `WebAssembly: ${title}, ${section === 'warm' ? 'warm' : operation}`,
    row: wasm({ section, text, operation }),
    against: 'hypertok',
    atLeast,
    unit: '×',
  });
  return [of('warm', 'encode', 1.4), of('first-sight', 'first sight', atFirstSight)];
}

function wasmCallAim(text, title, atLeast) {
  const row = wasm({ section: 'calls', text, operation: 'encode' });
  return SHORT_STRING_PEERS.map((against) => ({ title: `WebAssembly: encode of ${title}`, row, against, atLeast, unit: '×' }));
}

function profileAim(encoding, real) {
  const row = (text, unit) => ({ section: 'profiles', encoding, text, operation: 'encode', contender: 'crayon', unit });
  return [
    ...Object.entries(real).map(([text, atLeast]) => ({
      title: `${encoding}, ${text}`,
      row: row(text, 'MB/s'),
      atLeast,
      unit: 'MB/s',
    })),
    ...Object.entries(PUBLISHED_SPEED[encoding]).map(([domain, speed]) => ({
      title: `${encoding}, a repeated sentence of ${domain}`,
      row: row(`repeated-${domain}`, 'Mtok/s'),
      atLeast: Number((speed * OVER_PUBLISHED[domain]).toPrecision(4)),
      unit: 'Mtok/s',
    })),
  ];
}

function cartridgeAim(operation, atMost, unit) {
  return { title: operation, row: { section: 'cartridges', operation, contender: 'crayon' }, atMost, unit };
}

function operationAim(operation, aim) {
  return { title: operation, row: own({ section: 'operations', operation }), ...aim };
}

/**
 * @param {{ rows: import('./rows.mjs').Row[], contenders: string[], options: object }} result
 * @returns {{ title: string, aim: string, value?: number, unit: string, reached?: boolean }[]} those that could be
 *   judged; without a value, those that should have been
 */
export function judged({ rows, contenders, options }) {
  const out = [];
  for (const { title, row: fields, against, atLeast, atMost, unit } of aims) {
    if (!wasAsked(fields, against, contenders, options)) continue;
    const aim = `${atLeast !== undefined ? '≥' : '≤'} ${atLeast ?? atMost} ${against ? `× ${against}` : unit}`;
    const value = valueOf(rows, fields, against);
    if (value === undefined) out.push({ title, aim, unit });
    else out.push({ title, aim, value, unit, reached: atLeast !== undefined ? value >= atLeast : value <= atMost });
  }
  out.push(...judgedAdversarial(rows));
  return out;
}

function valueOf(rows, fields, against) {
  const value = rowWith(rows, fields)?.value;
  if (value == null || against === undefined) return value ?? undefined;
  const other = rowWith(rows, { ...fields, contender: against });
  if (other?.value == null) return undefined;
  // Both ratios are to the first contender, by rounds.
  const { ratio, unit } = rowWith(rows, fields);
  if (other.ratio !== undefined) return other.ratio / (ratio ?? 1);
  return higherIsBetter(unit) ? value / other.value : other.value / value;
}

function wasAsked({ section, encoding, text, contender }, against, contenders, { sections, encodings, texts }) {
  return (
    sections.includes(section) &&
    (encoding === undefined || section === 'profiles' || encodings.includes(encoding)) &&
    (!REAL_TEXTS.includes(text) || texts.includes(text)) &&
    [contender, against].every((name) => name === undefined || contenders.includes(name))
  );
}

function judgedAdversarial(rows) {
  const own = rows.filter(
    (row) =>
      row.section === 'adversarial' &&
      row.contender === 'crayon' &&
      row.encoding === O200K &&
      row.value !== null &&
      !row.text.includes(':'),
  );
  const slowest = (title, some, atLeast) => {
    if (some.length === 0) return [];
    const worst = some.reduce((least, row) => (row.value < least.value ? row : least));
    return [
      {
        title: `${title} (slowest: ${worst.text}, ${worst.operation})`,
        aim: `≥ ${atLeast} MB/s`,
        value: worst.value,
        unit: 'MB/s',
        reached: worst.value >= atLeast,
      },
    ];
  };
  const isRun = (row) => row.text.startsWith('run-');
  return [
    ...slowest('any adversarial text', own, adversarialAims.atLeast),
    ...slowest(
      'runs of one thing, warm',
      own.filter((row) => isRun(row) && row.operation === 'repeated'),
      adversarialAims.runs,
    ),
    ...slowest(
      'random letters and base64, warm',
      own.filter((row) => !isRun(row) && row.operation === 'repeated'),
      adversarialAims.random,
    ),
  ];
}
