/** The performance aims in a browser: rows like those of bench/node/aims.mjs. */
import { rowWith } from '../node/rows.mjs';

const row = (fields) => ({ encoding: 'o200k_base', contender: 'crayon', ...fields });

/** How many times as fast as hypertok: warm, and at first sight. */
const TEXTS = [
  ['english', 'English', 1.4, 4],
  ['code', 'code', 1.4, 2],
  ['chinese-japanese', 'Chinese + Japanese', 1.4, 4],
  ['languages', '14 languages', 1.4, 3],
];

/** How many times as fast as the fastest other contender. */
const CALLS = [
  ['hi', "'hi'", 1],
  ['english-5', '5 characters of English', 1],
  ['english-20', '20 characters of English', 1.5],
  ['english-60', '60 characters of English', 1.5],
  ['chinese-20', '20 characters of Chinese', 1.5],
];

const LOADS = [
  ['full', 80],
  ['slim', 250],
];

/** @returns {{ title: string, aim: string, value?: number, unit: string, reached?: boolean }[]} */
export function judged({ rows, options }) {
  const out = [];
  const over = (title, aim, value) => {
    out.push({ title, aim, unit: '×', value, reached: value >= Number.parseFloat(aim.slice(2)) });
  };
  for (const [text, title, warm, first] of TEXTS) {
    const of = (section, operation) => {
      const [own, other] = ['crayon', 'hypertok'].map((contender) => rowWith(rows, row({ section, text, operation, contender })));
      return other?.ratio ?? (own && other && own.value / other.value);
    };
    if (options.sections.includes('warm')) over(`${title}, warm`, `≥ ${warm} × hypertok`, of('warm', 'encode'));
    if (options.sections.includes('first-sight')) {
      over(`${title}, first sight`, `≥ ${first} × hypertok`, of('first-sight', 'first sight'));
    }
  }
  for (const [text, title, atLeast] of options.sections.includes('calls') ? CALLS : []) {
    const all = rows.filter((each) => each.section === 'calls' && each.text === text && each.encoding === 'o200k_base');
    const own = all.find(({ contender }) => contender === 'crayon');
    const fastest = all.filter((each) => each !== own).sort((a, b) => a.value - b.value)[0];
    const times = own && fastest && fastest.value / own.value;
    over(`encode of ${title}`, `≥ ${atLeast} × the fastest, ${fastest?.contender}`, times);
  }
  for (const [form, atMost] of options.sections.includes('load') ? LOADS : []) {
    const title = `bytes in hand to first ids, ${form}`;
    const value = rowWith(rows, row({ section: 'load', operation: title }))?.value;
    out.push({ title, aim: `≤ ${atMost} ms`, unit: 'ms', value, reached: value <= atMost });
  }
  return out;
}
