/** What the engine's figures are held against: o200k_base, one thread, a core of the Zen 4 class. MB/s. */
import { rowWith } from '../node/rows.mjs';

const aims = [
  { title: 'English', texts: ['english'], warm: 560, stretch: 650, first: 350, firstStretch: 450 },
  { title: 'code', texts: ['code'], warm: 480, stretch: 600, first: 320 },
  { title: 'Chinese + Japanese', texts: ['chinese-japanese'], warm: 350, stretch: 450, first: 130, firstStretch: 200 },
  { title: '14 languages', texts: ['languages'], warm: 380, stretch: 450, first: 150, firstStretch: 220 },
  { title: 'chat messages', texts: ['chat'], warm: 250, first: 140 },
  {
    title: 'runs of one thing',
    texts: ['run-letter', 'run-space', 'run-newline', 'run-digits', 'run-emoji', 'run-cjk'],
    warm: 150,
    first: 150,
  },
  { title: 'random letters, base64', texts: ['random-letters', 'base64'], warm: 120, first: 80 },
];

/** @returns {{ title: string, aim: string, value: number, reached: boolean }[]} of those that were measured */
export function judgedEngine(rows, kernel) {
  const out = [];
  for (const { title, texts, warm, stretch, first, firstStretch } of aims) {
    for (const [operation, least, hoped] of [['encode', warm, stretch], ['first-sight', first, firstStretch]]) {
      const found = texts.map((text) => rowWith(rows, { section: 'engine', encoding: 'o200k_base', contender: kernel, text, operation })).filter(Boolean);
      if (found.length < texts.length) continue;
      const worst = found.reduce((slowest, row) => (row.value < slowest.value ? row : slowest));
      out.push({
        title: `${title}, ${operation === 'encode' ? 'warm' : 'first sight'}${texts.length > 1 ? ` (slowest: ${worst.text})` : ''}`,
        aim: `≥ ${least}${hoped ? `, stretch ${hoped}` : ''}`,
        value: worst.value,
        reached: worst.value >= least,
      });
    }
  }
  return out;
}
