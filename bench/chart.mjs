/**
 * The picture of README: how fast `encode` is beside other packages, drawn by vega from a result in bench/results.
 *
 *     npm run bench:chart -- bench/results/NAME.json     writes bench/results/speed.svg
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vega from 'vega';
import { resultsFolder } from './record.mjs';
import { shown } from './tables.mjs';

const TEXTS = {
  english: 'English',
  code: 'code',
  'chinese-japanese': 'Chinese + Japanese',
  languages: '14 languages',
  chat: 'chat messages',
};
const CONTENDERS = {
  crayon: 'crayon-tokenizer',
  'crayon-wasm': 'crayon-tokenizer, WebAssembly',
  hypertok: 'hypertok',
  'gpt-tokenizer': 'gpt-tokenizer',
  'ai-tokenizer': 'ai-tokenizer',
};
const COLOURS = ['#d1495b', '#edae49', '#30638e', '#8d99ae', '#c4c9d4'];
const PANELS = [
  { title: 'The same text again and again', wanted: ({ section, operation }) => section === 'warm' && operation === 'encode' },
  {
    title: 'Each text once, in a fresh process',
    wanted: ({ section, operation }) => section === 'first-sight' && operation === 'first sight',
  },
];

const file = path.resolve(process.argv[2] ?? latest());
const result = JSON.parse(fs.readFileSync(file, 'utf8'));
const svg = await new vega.View(vega.parse(specification(result)), { renderer: 'none' }).toSVG();
fs.writeFileSync(path.join(resultsFolder, 'speed.svg'), `${svg}\n`);
console.log(path.join(resultsFolder, 'speed.svg'));

/** The newest result of the harness of Node. */
function latest() {
  const names = fs.readdirSync(resultsFolder).filter((name) => name.endsWith('.json') && !/-(?:engine|browser)\.json$/.test(name));
  if (names.length === 0) throw new Error(`there is no result in ${fileURLToPath(new URL('results/', import.meta.url))}`);
  return path.join(resultsFolder, names.sort().at(-1));
}

function barsOf({ wanted }, rows) {
  return rows
    .filter((row) => wanted(row) && row.encoding === 'o200k_base' && row.text in TEXTS && row.contender in CONTENDERS)
    .map(({ text, contender, value }) => ({ text: TEXTS[text], contender: CONTENDERS[contender], value, label: shown(value) }));
}

/** A specification of vega: two panels, one above the other, of bars grouped by text. */
function specification({ date, machine, rows }) {
  const width = 560;
  const height = 290;
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 12,
    width,
    height: PANELS.length * (height + 56),
    title: {
      text: 'encode, o200k_base, MB/s (more is better)',
      subtitle: [`one core of ${machine.cpu} (${machine.family}), ${date}, Node ${machine.node}`],
      anchor: 'start',
      fontSize: 15,
      offset: 16,
    },
    scales: [
      { name: 'colour', type: 'ordinal', domain: Object.values(CONTENDERS), range: COLOURS },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal', columns: 3, columnPadding: 16, symbolType: 'square', labelLimit: 0 }],
    data: PANELS.map((panel, index) => ({ name: `panel${index}`, values: barsOf(panel, rows) })),
    marks: PANELS.map(({ title }, index) => ({
      type: 'group',
      title: { text: title, anchor: 'start', fontSize: 13, fontWeight: 'normal', offset: 6 },
      encode: { enter: { y: { value: index * (height + 56) + 20 }, width: { value: width }, height: { value: height } } },
      scales: [
        { name: 'y', type: 'band', domain: Object.values(TEXTS), range: [0, height], paddingInner: 0.18 },
        { name: 'x', type: 'linear', domain: { data: `panel${index}`, field: 'value' }, range: [0, width - 60], nice: false, zero: true },
      ],
      axes: [{ orient: 'left', scale: 'y', ticks: false, domain: false, labelPadding: 8, labelFontSize: 12 }],
      marks: [
        {
          type: 'group',
          from: { facet: { data: `panel${index}`, name: 'text', groupby: 'text' } },
          encode: { enter: { y: { scale: 'y', field: 'text' } } },
          signals: [{ name: 'height', update: "bandwidth('y')" }],
          scales: [{ name: 'bar', type: 'band', domain: Object.values(CONTENDERS), range: 'height' }],
          marks: [
            {
              type: 'rect',
              from: { data: 'text' },
              encode: {
                enter: {
                  x: { scale: 'x', value: 0 },
                  x2: { scale: 'x', field: 'value' },
                  y: { scale: 'bar', field: 'contender' },
                  height: { scale: 'bar', band: 0.92 },
                  fill: { scale: 'colour', field: 'contender' },
                },
              },
            },
            {
              type: 'text',
              from: { data: 'text' },
              encode: {
                enter: {
                  x: { scale: 'x', field: 'value', offset: 4 },
                  y: { scale: 'bar', field: 'contender', band: 0.46 },
                  baseline: { value: 'middle' },
                  fontSize: { value: 10 },
                  text: { field: 'label' },
                  fill: { value: '#333' },
                },
              },
            },
          ],
        },
      ],
    })),
  };
}
