/** The engine's rows as tables, compared with their targets. */
import { circumstances } from '../circumstances.mjs';
import { rowWith } from '../node/rows.mjs';
import { grid, shown } from '../tables.mjs';
import { judgedEngine } from './aims.mjs';

const OPERATIONS = ['scan', 'encode', 'encode-utf16', 'count', 'first-sight', 'decode', 'plain-arrays', 'plain-xor'];

/**
 * @param {object} result what run.mjs writes
 * @returns {string} markdown
 */
export function report(result) {
  const { rows, texts } = result;
  const engine = rows.filter((row) => row.section === 'engine');
  const kernels = [...new Set(engine.map((row) => row.contender))].filter((name) => name !== 'crayon');
  const encodings = [...new Set(rows.filter((row) => row.operation === 'encode').map((row) => row.encoding))];
  const out = [...facts(result), ''];
  for (const encoding of encodings) {
    for (const kernel of kernels) {
      const of = (text, operation) => engineRow(engine, encoding, kernel, text, operation);
      out.push(`## ${encoding}, ${kernel}, MB/s`, '', ...speeds(texts, of), '');
      out.push(`## ${encoding}, ${kernel}, ns a token`, '', ...costs(texts, of), '');
    }
  }
  for (const kernel of kernels) {
    const scans = engine.filter((row) => row.operation === 'scan' && row.contender === kernel);
    if (scans.length > 0) out.push(`## Scanners, ${kernel}, MB/s`, '', ...scanners(texts, scans), '');
  }
  const opening = rows.filter((row) => row.unit === 'ms');
  if (opening.length > 0) out.push('## Opening a cartridge, ms', '', ...openings(opening), '');
  for (const encoding of encodings) {
    const judgements = judgedEngine(rows, encoding, kernels[0]);
    if (judgements.length === 0) continue;
    const body = judgements.map(({ title, aim, value, unit, reached }) => [title, aim, `${shown(value)} ${unit}`, reached]);
    out.push(`## Aims, ${encoding}, ${kernels[0]}`, '', ...grid(['', 'aim', 'measured', 'reached'], body), '');
  }
  return out.join('\n');
}

function facts(result) {
  const { rows, options } = result;
  const latency = latencies(rows);
  return [
    '# The engine alone',
    '',
    ...circumstances(result),
    `- ${options.repetitions} repetitions, CPU time`,
    ...(latency === '' ? [] : [`- a load that waits for the one before it, at random addresses: ${latency}`]),
  ];
}

/** The row of a text; rows of `scan` have a scanner, and rows of `decode` no kernel. */
function engineRow(rows, encoding, kernel, text, operation) {
  const scanner = encoding.replace(/_.*/, '').replace(/^[rp]50k$/, 'gpt2');
  return rows.find(
    (row) =>
      row.text === text &&
      row.operation === operation &&
      [kernel, 'crayon'].includes(row.contender) &&
      [encoding, scanner].includes(row.encoding),
  );
}

function speeds(texts, of) {
  const names = Object.keys(texts).filter((text) => OPERATIONS.some((operation) => of(text, operation)));
  const columns = OPERATIONS.filter((operation) => names.some((text) => of(text, operation)));
  const cell = (row) => (row === undefined ? '' : shown(row.value));
  return grid(
    ['', ...columns],
    names.map((text) => [texts[text].title, ...columns.map((operation) => cell(of(text, operation)))]),
  );
}

/** Where the time goes, estimated from the differences of the measured operations. */
function costs(texts, of) {
  const body = [];
  for (const [text, { title }] of Object.entries(texts)) {
    const bytes = of(text, 'encode')?.bytesPerToken;
    if (bytes === undefined) continue;
    const time = (operation) => (1000 * bytes) / (of(text, operation)?.value ?? Number.NaN);
    const all = time('encode');
    const parts = [time('scan'), all - time('scan'), all - time('count'), time('encode-utf16') - all, time('first-sight') - all];
    body.push([title, shown(bytes), shown(all), ...parts.map((each) => (Number.isNaN(each) ? '' : shown(each)))]);
  }
  const head = ['', 'bytes a token', 'encode', '= scan', '+ pieces to ids', 'over count', 'from UTF-16', 'at first sight'];
  return grid(head, body);
}

/** Each family's own pretokenizer, and the automaton of its pattern; in brackets, the factor over o200k's own. */
function scanners(texts, rows) {
  const [names, scanned] = ['encoding', 'text'].map((key) => [...new Set(rows.map((row) => row[key]))]);
  const cell = (encoding, text) => {
    const value = (name) => rowWith(rows, { encoding: name, text })?.value ?? Number.NaN;
    return `${shown(value(encoding))} (${shown(value(encoding) / value('o200k'))})`;
  };
  return grid(
    ['', ...scanned.map((text) => texts[text].title)],
    names.map((name) => [name, ...scanned.map((text) => cell(name, text))]),
  );
}

function openings(rows) {
  const names = [...new Set(rows.map((row) => row.encoding))];
  const ways = [...new Set(rows.map((row) => row.operation))];
  const cell = (operation, encoding) => shown(rowWith(rows, { operation, encoding })?.value ?? Number.NaN);
  return grid(
    ['', ...names],
    ways.map((way) => [way, ...names.map((name) => cell(way, name))]),
  );
}

/** "small pages: 256KiB 4.1 ns, 1024KiB 9.0 ns …; large pages: …" */
function latencies(rows) {
  const size = (row) => Number.parseInt(row.operation.split(', ')[1], 10);
  const of = (pages) => rows.filter((row) => row.unit === 'ns' && row.operation.startsWith(pages)).sort((a, b) => size(a) - size(b));
  return ['small-pages', 'large-pages']
    .filter((pages) => of(pages).length > 0)
    .map(
      (pages) =>
        `${pages.replace('-', ' ')}: ${of(pages)
          .map((row) => `${size(row)} KiB ${shown(row.value)} ns`)
          .join(', ')}`,
    )
    .join('; ');
}
