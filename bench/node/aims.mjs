/**
 * What the figures are held against. Each aim names the rows it is about and what their value has to be; where there is no
 * such row, it is not judged.
 */
import { rowWith } from './rows.mjs';

const O200K = 'o200k_base';
const own = (fields) => ({ encoding: O200K, contender: 'crayon', ...fields });

/** @type {{ title: string, row: object, against?: string, atLeast?: number, atMost?: number, unit: string }[]} */
export const aims = [
  { title: 'load, file cache warm', row: own({ section: 'load', operation: 'load' }), atMost: 1, unit: 'ms' },
  { title: 'process to first ids, over an empty one', row: own({ section: 'load', operation: 'first ids, over an empty process' }), atMost: 25, unit: 'ms' },
  { title: 'private memory gained by loading, the mapped file aside', row: own({ section: 'memory', operation: 'loaded, private' }), atMost: 20, unit: 'MB' },
  { title: 'package, packed', row: { section: 'package', operation: 'packed' }, atMost: 20, unit: 'MB' },
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
  { title: 'chat messages, as a batch', row: own({ section: 'warm', text: 'chat', operation: 'encodeBatch' }), atLeast: 180, unit: 'MB/s' },
  ...firstAim('english', 'English', 8),
  ...firstAim('code', 'code', 3),
  ...firstAim('chinese-japanese', 'Chinese + Japanese', 6),
  ...firstAim('languages', '14 languages', 5),
  ...firstAim('chat', 'chat messages', 4),
];

/** Adversarial texts: what none may fall under, first pass and repeated, and what runs and random texts should reach. */
export const adversarialAims = { atLeast: 20, runs: 120, random: 80 };

function warmAim(text, title, each) {
  const row = own({ section: 'warm', text, operation: 'encode' });
  return each.map(({ against, atLeast }) => ({ title: `${title}, warm`, row, against, atLeast, unit: against ? '×' : 'MB/s' }));
}

function firstAim(text, title, atLeast) {
  return ['first sight', 'first pass'].map((operation) => {
    const row = own({ section: 'first-sight', text, operation });
    return { title: `${title}, ${operation}`, row, against: 'hypertok', atLeast, unit: '×' };
  });
}

/**
 * @param {import('./rows.mjs').Row[]} rows
 * @returns {{ title: string, aim: string, value: number, unit: string, reached: boolean }[]} those that can be judged
 */
export function judged(rows) {
  const out = [];
  for (const { title, row: fields, against, atLeast, atMost, unit } of aims) {
    const row = rowWith(rows, fields);
    if (row?.value == null) continue;
    let { value } = row;
    if (against !== undefined) {
      const other = rowWith(rows, { ...fields, contender: against });
      if (other?.value == null) continue;
      value = other.ratio ?? value / other.value;
    }
    const reached = atLeast !== undefined ? value >= atLeast : value <= atMost;
    const aim = `${atLeast !== undefined ? '≥' : '≤'} ${atLeast ?? atMost} ${against ? `× ${against}` : unit}`;
    out.push({ title, aim, value, unit, reached });
  }
  out.push(...judgedAdversarial(rows));
  return out;
}

function judgedAdversarial(rows) {
  const own = rows.filter((row) => row.section === 'adversarial' && row.contender === 'crayon' && row.encoding === O200K && row.value !== null && !row.text.includes(':'));
  const slowest = (title, some, atLeast) => {
    if (some.length === 0) return [];
    const worst = some.reduce((least, row) => (row.value < least.value ? row : least));
    return [{ title: `${title} (slowest: ${worst.text}, ${worst.operation})`, aim: `≥ ${atLeast} MB/s`, value: worst.value, unit: 'MB/s', reached: worst.value >= atLeast }];
  };
  const isRun = (row) => row.text.startsWith('run-');
  return [
    ...slowest('any adversarial text', own, adversarialAims.atLeast),
    ...slowest('runs of one thing, warm', own.filter((row) => isRun(row) && row.operation === 'repeated'), adversarialAims.runs),
    ...slowest('random letters and base64, warm', own.filter((row) => !isRun(row) && row.operation === 'repeated'), adversarialAims.random),
  ];
}
