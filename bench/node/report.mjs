/** Rows as tables: one per section, encoding and operation, with a column per contender. */
import { circumstances } from '../circumstances.mjs';
import { grid, shown } from '../tables.mjs';
import { judged } from './aims.mjs';

const TITLES = {
  exactness: 'Exact ids',
  stream: 'Documents met once each, one after the other',
  warm: 'Warm: the same text again and again',
  'first-sight': 'Each text once, in a fresh process',
  adversarial: 'Adversarial texts',
  calls: 'One call with a short text',
  operations: 'Texts and budgets of tokens',
  'drop-ins': 'The drop-in modules, beside what they stand in for',
  load: 'Loading',
  memory: 'Memory gained',
  heap: 'A million encodes',
  profiles: 'Longest match: the profiles of CRAYON',
  cartridges: 'Opening, swapping and compiling cartridges',
  package: 'Package',
};

/** The introductions of sections. */
const REMARKS = {
  stream:
    'In brackets: how many times as fast the first column is. `*`: its ids differ from the reference. `?`: they were not compared, as that took more than two minutes; nor is a text measured that takes longer.',
  warm: 'In brackets: how many times as fast the first column is. `*`: its ids differ from the reference.',
  operations: '×: how many times as long as the other call of the same contender.',
  profiles: '`published`: what CRAYON says of its own code, on its own sentences and machine.',
  'drop-ins': '×: how many times as long as the original; 0.1 is ten times as fast.',
};

/** Sections with a line for each operation; the others have a table for each. */
const TALL = ['operations', 'drop-ins', 'load', 'memory', 'heap', 'cartridges', 'package'];

/**
 * @param {object} result the output of run.mjs, or of bench/browser's
 * @returns {string} markdown, which reads well on a terminal too
 */
export function report(result, judgements = judged(result)) {
  const { rows, machine } = result;
  const sections = Object.keys(TITLES).filter((section) => rows.some((row) => row.section === section));
  const part = sections.length === 1 ? `: ${TITLES[sections[0]].toLowerCase()}` : '';
  const out = [`# Beside other packages in ${machine.browser ? 'Chromium' : 'Node'}${part}`, '', ...facts(result), ''];
  const inexact = new Set(
    rows.filter((row) => row.unit === 'exact' && row.value === 0).map((row) => `${row.contender} ${row.encoding} ${row.text}`),
  );
  for (const section of sections) {
    const some = rows.filter((row) => row.section === section);
    out.push(`## ${TITLES[section]}`, '');
    if (section in REMARKS) out.push(REMARKS[section], '');
    for (const table of tablesOf(some, result, inexact)) out.push(...table, '');
  }
  if (judgements.length > 0) {
    out.push('## Aims', '');
    const body = judgements.map(({ title, aim, value, unit, reached }) => {
      return value === undefined ? [title, aim, 'not measured', ''] : [title, aim, `${shown(value)} ${unit}`, reached ? 'yes' : '**no**'];
    });
    out.push(...grid(['', 'aim', 'measured', 'reached'], body), '');
  }
  return out.join('\n');
}

function facts(result) {
  const { machine, packages, options, texts } = result;
  const named = Object.entries(packages).map(([name, { version, backend }]) => `${name} ${version}${backend ? ` (${backend})` : ''}`);
  const { rounds, turn, repeats, loads } = options;
  const whole = Object.entries(texts)
    .filter(([name, { source }]) => ['corpora', 'fixtures'].includes(source) && !name.includes(':'))
    .map(([, { title, bytes }]) => `${title} ${shown(bytes / 1e6)} MB`);
  return [
    ...circumstances(result),
    ...(whole.length > 0 ? [`- ${whole.join(', ')}`] : []),
    `- ${[machine.system, machine.browser].filter(Boolean).join(', ')}`,
    ...(named.length > 0 ? [`- ${named.join(', ')}`] : []),
    `- ${rounds} rounds of ${turn / 1e6} ms turns, ${repeats} fresh processes per first pass, ${loads} per load`,
  ];
}

function tablesOf(rows, { contenders, texts }, inexact) {
  const tables = new Map();
  for (const row of rows) {
    const tall = TALL.includes(row.section);
    const title = (tall ? [row.encoding] : [row.operation, row.encoding]).filter(Boolean).join(', ');
    const key = `${title}, ${row.unit}`;
    if (!tables.has(key)) tables.set(key, { title, unit: row.unit, rows: new Map() });
    const text = texts[row.text]?.title ?? row.text;
    const name = row.section === 'drop-ins' ? `${text}: ${row.operation}` : tall ? row.operation : text;
    const { rows: lines } = tables.get(key);
    if (!lines.has(name)) lines.set(name, new Map());
    lines.get(name).set(row.contender, row);
  }
  return [...tables.values()].map(({ title, unit, rows: lines }) => {
    const present = [...contenders, ...new Set(rows.map((row) => row.contender))].filter(
      (name, index, all) => all.indexOf(name) === index && [...lines.values()].some((cells) => cells.has(name)),
    );
    const notes = [];
    const body = [...lines].map(([name, cells]) => [
      name,
      ...present.map((contender) => cell(cells.get(contender), name, inexact, notes, cells.get(present[0]))),
    ]);
    const heading = [title, unit === 'exact' ? '' : unit].filter(Boolean).join(', ');
    return [`**${heading}**`, '', ...grid(['', ...present], body), ...notes.map((note, index) => `${index === 0 ? '\n' : ''}${note}  `)];
  });
}

function cell(row, name, inexact, notes, first) {
  if (row === undefined) return '';
  let mark = '';
  if (row.unit !== 'exact' && inexact.has(`${row.contender} ${row.encoding} ${row.text}`)) mark = '*';
  if (row.unit === 'exact') {
    if (row.note) notes.push(`${row.contender}, ${name}: ${row.note}.`);
    return row.value === 1 ? 'exact' : '**not exact**';
  }
  if (row.value === null) return row.note ?? '–';
  if (row.note?.startsWith('not exact')) mark = '*';
  if (row.note === 'ids not compared') mark = '?';
  const ratio = row.ratio ?? (row.unit.endsWith('/s') && first?.value ? first.value / row.value : undefined);
  return `${shown(row.value)}${mark}${ratio !== undefined && row !== first ? ` (${shown(ratio)}×)` : ''}`;
}
