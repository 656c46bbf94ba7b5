/**
 * The pictures of speed, drawn from results in bench/results: `npm run bench:chart` writes
 *
 *     hero.svg    five packages of npm on English that is met once; the README, the first page
 *     speed.svg   the same measurement for five kinds of text
 *     race.svg    the engine, and the package in Node, beside tokenizers of other languages
 *
 * Each bar says what it is, all bars of a picture have one scale, and ids that are not the reference's are marked. The pictures are light
 * or dark as the reader's system, and as wide as a phone, since GitHub shrinks them to it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './node/timing.mjs';
import { resultsFolder } from './record.mjs';
import { shown } from './tables.mjs';

const TEXTS = {
  english: 'English',
  code: 'Code',
  'chinese-japanese': 'Chinese and Japanese',
  languages: '14 languages',
  chat: 'Chat messages',
};

const PACKAGES = {
  crayon: 'crayon-tokenizer, addon in Node',
  'crayon-wasm': 'crayon-tokenizer, WebAssembly in Node',
  hypertok: 'hypertok, WebAssembly',
  tiktoken: 'tiktoken, WebAssembly',
  'gpt-tokenizer': 'gpt-tokenizer, JavaScript',
  'js-tiktoken': 'js-tiktoken, JavaScript',
};

const RACERS = {
  crayon: 'crayon, engine in C++',
  'crayon encode': 'crayon-tokenizer in Node',
  gigatoken: 'gigatoken, Rust in Python',
  tokenizers: 'Hugging Face, Rust in Python',
  tiktoken: 'tiktoken, Rust in Python',
  hypertok: 'hypertok, WebAssembly in Node',
};

/** @typedef {{ name: string, own: boolean, values: number[], wrong: boolean }} Row */
/** @typedef {{ title?: string, rows: Row[] }} Group */

/** The pictures by their names. @returns {Record<string, string>} */
export function pictures() {
  const stream = resultNamed('node-stream');
  const race = resultNamed('race');
  const streamed = (text, operations, packages) =>
    rowsOf(packages, (contender) =>
      operations.map((operation) =>
        stream.rows.filter(
          (row) =>
            row.encoding === 'o200k_base' && row.text === `stream-${text}` && row.operation === operation && row.contender === contender,
        ),
      ),
    );
  const raced = (text) =>
    rowsOf(RACERS, (contender) =>
      ['first', 'warm'].map((section) =>
        race.rows.filter(
          (row) =>
            row.part === 'peers' &&
            row.section === section &&
            row.encoding === 'gptoss' &&
            row.text === text &&
            row.contender === contender,
        ),
      ),
    );
  const { 'crayon-wasm': _, ...five } = PACKAGES;
  return {
    hero: drawn({
      title: `${headline(stream)} of English on one core`,
      lines: ['MB/s of npm packages with o200k_base (GPT-4o to GPT-5),', 'documents met once each: longer is faster'],
      groups: [{ rows: streamed('english', ['stream'], five).sort((a, b) => b.values[0] - a.values[0]) }],
      foot: footOf(stream),
      large: true,
    }),
    speed: drawn({
      title: 'npm packages, o200k_base, MB/s',
      lines: ['Documents met once each, one after the other: longer is faster'],
      series: ['the first megabyte, all caches empty', 'all that follows'],
      groups: Object.entries(TEXTS).map(([text, title]) => ({
        title,
        rows: streamed(text, ['stream, first MB', 'stream'], PACKAGES),
      })),
      foot: footOf(stream),
    }),
    race: drawn({
      title: 'Beside other languages, MB/s',
      lines: ['The vocabulary of gpt-oss (o200k); one text in one call, on one core:', 'longer is faster'],
      series: ['met for the first time', 'met again'],
      groups: Object.entries({ ...TEXTS, 'english-100mb': 'English, 100 MB' })
        .map(([text, title]) => ({ title, rows: raced(text) }))
        .filter(({ rows }) => rows.length > 0),
      foot: footOf(race),
    }),
  };
}

/** The figure that the first pages begin with. */
export function headline(result = resultNamed('node-stream')) {
  const { value } = result.rows.find(
    (row) => row.text === 'stream-english' && row.encoding === 'o200k_base' && row.operation === 'stream' && row.contender === 'crayon',
  );
  return `${shown(value)} MB/s`;
}

function resultNamed(name) {
  return JSON.parse(fs.readFileSync(path.join(resultsFolder, `${name}.json`), 'utf8'));
}

/** Those that were measured. @returns {Row[]} */
function rowsOf(names, measured) {
  return Object.entries(names).flatMap(([contender, name]) => {
    const rows = measured(contender);
    if (rows.some((some) => some.length === 0)) return [];
    const wrong = rows.flat().some((row) => row.exact === false || row.note?.startsWith('not exact'));
    const own = contender.startsWith('crayon');
    const [missing] = rows.flat().filter(({ value }) => value === null);
    if (missing) return [{ name: `${name}: ${missing.note}`, own, wrong, values: [] }];
    const [unknown] = rows.flat().filter(({ note }) => note === 'ids not compared');
    return [
      { name: unknown ? `${name}, ${unknown.note}` : name, own, wrong, values: rows.map((some) => median(some.map(({ value }) => value))) },
    ];
  });
}

/** The machine, the date, and how busy others kept it. */
function footOf({ date, foreign, machine: { cpu, cores, family, node } }) {
  const model = `${cpu.replace(/\((?:R|TM)\)| Processor/g, '')}, ${family.replace(/ stepping.*/, '')}`;
  const busy = foreign > 0.3 ? [`Other work kept ${foreign.toFixed(1)} of its ${cores} cores busy meanwhile`] : [];
  return [`${model}; Node ${node}; ${date}`, ...busy];
}

const WIDTH = 440;
const LEFT = 14;
const RIGHT = 426;
/** What a bar's figure needs to the right of it. */
const FIGURE = 58;

const STYLE = `
text { font: 13px ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: #24292f }
.title { font-size: 17px; font-weight: 650 }
.group { font-size: 14px; font-weight: 650 }
.large { font-size: 15px }
.soft { font-size: 12px; fill: #57606a }
.own { font-weight: 650 }
.page { fill: #fff; stroke: #d0d7de }
.rule { stroke: #d0d7de }
.bar { fill: #8c959f }
.first { fill: #c3cad1 }
.own.bar { fill: #6d4aff }
.own.first { fill: #b6a4ff }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.soft { fill: #9da7b1 }
.page { fill: #161b22; stroke: #30363d }
.rule { stroke: #30363d }
.bar { fill: #7d8590 }
.first { fill: #484f58 }
.own.bar { fill: #9d88ff }
.own.first { fill: #5b45b8 }
}`;

/** @param {{ title: string, lines: string[], series?: string[], groups: Group[], foot: string[], large?: boolean }} picture */
function drawn({ title, lines, series = [], groups, foot, large = false }) {
  const out = [];
  let y = 30;
  const text = (x, kind, content, more = '') => out.push(`<text x="${x}" y="${y}" class="${kind}"${more}>${escaped(content)}</text>`);
  text(LEFT, 'title', title);
  for (const line of lines) {
    y += 20;
    text(LEFT, 'soft', line);
  }
  const most = Math.max(...groups.flatMap(({ rows }) => rows.flatMap(({ values }) => values)));
  const widthOf = (value) => Math.max(1, Math.round(((RIGHT - LEFT - FIGURE) * value) / most));
  const height = large ? 16 : series.length > 1 ? 8 : 12;
  for (const [at, name] of series.entries()) {
    y += 20;
    out.push(`<rect x="${LEFT}" y="${y - 9}" width="22" height="8" rx="2" class="own ${kindOf(at, series)}"/>`);
    out.push(`<rect x="${LEFT + 26}" y="${y - 9}" width="22" height="8" rx="2" class="${kindOf(at, series)}"/>`);
    text(LEFT + 56, 'soft', name);
  }
  for (const group of groups) {
    y += 14;
    if (group.title !== undefined) {
      y += 16;
      text(LEFT, 'group', group.title);
      y += 2;
    }
    for (const { name, own, values, wrong } of group.rows) {
      y += large ? 24 : 19;
      text(LEFT, `${large ? 'large ' : ''}${own ? 'own' : ''}`, wrong ? `${name} *` : name);
      y += 6;
      for (const [at, value] of values.entries()) {
        const width = widthOf(value);
        out.push(
          `<rect x="${LEFT}" y="${y}" width="${width}" height="${height}" rx="2" class="${own ? 'own ' : ''}${kindOf(at, values)}"/>`,
        );
        y += height;
        out.push(`<text x="${LEFT + width + 6}" y="${y - (large ? 2 : 0)}" class="${large ? 'large' : 'soft'}">${shown(value)}</text>`);
        y += 3;
      }
    }
  }
  y += 16;
  out.push(`<line x1="${LEFT}" y1="${y - 8}" x2="${RIGHT}" y2="${y - 8}" class="rule"/>`);
  const notes = groups.some(({ rows }) => rows.some(({ wrong }) => wrong)) ? ['* its ids are not those of the reference'] : [];
  for (const line of [...notes, ...foot]) {
    y += 10;
    text(LEFT, 'soft', line);
    y += 8;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 6}" width="${WIDTH}" height="${y + 6}" role="img" aria-label="${escaped(inWords(title, groups))}">
<style>${STYLE}
</style>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${y + 5}" rx="10" class="page"/>
${out.join('\n')}
</svg>
`;
}

/** A picture that has two bars in a row draws the first pale. */
const kindOf = (at, all) => (all.length > 1 && at === 0 ? 'first' : 'bar');

function inWords(title, groups) {
  const words = groups.map(({ title: of, rows }) => {
    const each = rows.map(({ name, values, wrong }) => `${name}${wrong ? ' (other ids)' : ''} ${values.map(shown).join(' and ')}`);
    return `${of === undefined ? '' : `${of}: `}${each.join('; ')}`;
  });
  return `${title}. ${words.join('. ')}.`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, svg] of Object.entries(pictures())) {
    fs.writeFileSync(path.join(resultsFolder, `${name}.svg`), svg);
    console.log(path.join(resultsFolder, `${name}.svg`));
  }
}
