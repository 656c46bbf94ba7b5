/**
 * The targets of the engine's figures: o200k_base, one thread, a core of the Zen 4 class. cl100k_base must be at least
 * as good, so the same figures apply to it.
 */
import { rowWith } from '../node/rows.mjs';

/** MB/s: `floor`, and the more ambitious `stretch`. */
const aims = [
  { title: 'English', texts: ['english'], warm: { floor: 560, stretch: 650 }, first: { floor: 350, stretch: 450 } },
  { title: 'code', texts: ['code'], warm: { floor: 480, stretch: 600 }, first: { floor: 320 } },
  {
    title: 'Chinese + Japanese',
    texts: ['chinese-japanese'],
    warm: { floor: 350, stretch: 450 },
    first: { floor: 130, stretch: 200 },
  },
  {
    title: '14 languages',
    texts: ['languages'],
    warm: { floor: 380, stretch: 450 },
    first: { floor: 150, stretch: 220 },
  },
  { title: 'chat messages', texts: ['chat'], warm: { floor: 250 }, first: { floor: 140 } },
  {
    title: 'runs of one thing',
    texts: ['run-letter', 'run-space', 'run-newline', 'run-digits', 'run-emoji', 'run-cjk'],
    warm: { floor: 150 },
    first: { floor: 150 },
  },
  {
    title: 'random letters, base64',
    texts: ['random-letters', 'base64', 'png-base64'],
    warm: { floor: 120 },
    first: { floor: 80 },
  },
];
/** The same for the longest-match profiles: warm, and the factor over the plain loop of the same run. */
const profileAims = {
  lite: [
    { title: 'English', text: 'english', floor: 350 },
    { title: 'code', text: 'code', floor: 450 },
  ],
  standard: [
    { title: 'English', text: 'english', floor: 220 },
    { title: 'code', text: 'code', floor: 260 },
  ],
};
const TIMES_PLAIN = 2;
const OPEN = 1; // ms

/**
 * @returns {{ title: string, aim: string, value: number, unit: string, reached: string }[]} of those that were
 *   measured; where an aim is about several texts, the slowest
 */
export function judgedEngine(rows, encoding, kernel) {
  const out = [];
  const open = rowWith(rows, { section: 'engine', encoding, operation: 'open' });
  if (open) {
    const reached = open.value <= OPEN ? 'yes' : '**no**';
    out.push({ title: 'opening the cartridge', aim: `≤ ${OPEN} ms`, value: open.value, unit: 'ms', reached });
  }
  if (encoding in profileAims) return [...out, ...judgedProfile(rows, encoding, kernel)];
  for (const { title, texts, warm, first } of aims) {
    for (const [operation, when, { floor, stretch }] of [
      ['encode', 'warm', warm],
      ['first-sight', 'first sight', first],
    ]) {
      const found = texts.map((text) => rowWith(rows, { section: 'engine', encoding, contender: kernel, text, operation })).filter(Boolean);
      if (found.length < texts.length) continue;
      const worst = found.reduce((slowest, row) => (row.value < slowest.value ? row : slowest));
      out.push({
        title: `${title}, ${when}${texts.length > 1 ? ` (slowest: ${worst.text})` : ''}`,
        aim: `≥ ${floor}${stretch ? `, stretch ${stretch}` : ''} MB/s`,
        value: worst.value,
        unit: 'MB/s',
        reached: worst.value < floor ? '**no**' : worst.value >= stretch ? 'yes, and the stretch' : 'yes',
      });
    }
  }
  return out;
}

function judgedProfile(rows, encoding, kernel) {
  return profileAims[encoding].flatMap(({ title, text, floor }) => {
    const ours = rowWith(rows, { section: 'engine', encoding, contender: kernel, text, operation: 'encode' });
    const plain = rowWith(rows, { section: 'engine', encoding, text, operation: 'plain-arrays' });
    if (!ours || !plain) return [];
    const times = ours.value / plain.value;
    const yes = (reached) => (reached ? 'yes' : '**no**');
    return [
      { title: `${title}, warm`, aim: `≥ ${floor} MB/s`, value: ours.value, unit: 'MB/s', reached: yes(ours.value >= floor) },
      {
        title: `${title}, over the plain loop`,
        aim: `≥ ${TIMES_PLAIN} times`,
        value: times,
        unit: 'times',
        reached: yes(times >= TIMES_PLAIN),
      },
    ];
  });
}
