/**
 * The README's pictures: the speed of `encode` compared with other packages, drawn by vega from a result in bench/results.
 *
 *     npm run bench:chart -- bench/results/node.json     (the default): writes bench/results/speed.svg
 *     npm run bench:chart -- bench/results/race.json     writes bench/results/race.svg
 */
import fs from 'node:fs';
import path from 'node:path';
import * as vega from 'vega';
import { median } from './node/timing.mjs';
import { resultsFolder } from './record.mjs';
import { shown } from './tables.mjs';

const COLOURS = ['#d1495b', '#edae49', '#30638e', '#8d99ae', '#c4c9d4', '#5c6b73'];

/** The contents of the picture: the names of texts and contenders, and the rows of each panel. */
const PICTURES = {
  speed: {
    heading: 'encode, o200k_base, MB/s (more is better)',
    encoding: 'o200k_base',
    texts: {
      english: 'English',
      code: 'code',
      'chinese-japanese': 'Chinese + Japanese',
      languages: '14 languages',
      chat: 'chat messages',
    },
    contenders: {
      crayon: 'crayon-tokenizer',
      'crayon-wasm': 'crayon-tokenizer, WebAssembly',
      hypertok: 'hypertok',
      'gpt-tokenizer': 'gpt-tokenizer',
      'ai-tokenizer': 'ai-tokenizer',
    },
    panels: [
      { title: 'The same text again and again', wanted: ({ section, operation }) => section === 'warm' && operation === 'encode' },
      {
        title: 'Each text once, in a fresh process',
        wanted: ({ section, operation }) => section === 'first-sight' && operation === 'first sight',
      },
    ],
  },
  race: {
    heading: 'The vocabulary of gpt-oss (o200k), MB/s (more is better)',
    encoding: 'gptoss',
    texts: {
      english: 'English',
      code: 'code',
      'chinese-japanese': 'Chinese + Japanese',
      languages: '14 languages',
      'english-100mb': 'English, 100 MB',
    },
    contenders: {
      crayon: 'crayon, the engine',
      'crayon encode': 'crayon-tokenizer in Node',
      gigatoken: 'gigatoken',
      tokenizers: 'Hugging Face tokenizers 1.0',
      hypertok: 'hypertok (WebAssembly)',
      tiktoken: 'tiktoken (not with 100 MB)',
    },
    panels: [
      { title: 'Met for the first time', wanted: ({ part, section }) => part === 'peers' && section === 'first' },
      { title: 'Met again', wanted: ({ part, section }) => part === 'peers' && section === 'warm' },
    ],
  },
};

const file = path.resolve(process.argv[2] ?? path.join(resultsFolder, 'node.json'));
const result = JSON.parse(fs.readFileSync(file, 'utf8'));
const name = result.kind === 'race' ? 'race' : 'speed';
const svg = await new vega.View(vega.parse(specification(result, PICTURES[name])), { renderer: 'none' }).toSVG();
fs.writeFileSync(path.join(resultsFolder, `${name}.svg`), `${svg}\n`);
console.log(path.join(resultsFolder, `${name}.svg`));

/** One for each text and contender: the median of the rows. */
function barsOf({ wanted }, rows, { encoding, texts, contenders }) {
  const valuesOf = new Map();
  for (const row of rows) {
    if (!wanted(row) || row.encoding !== encoding || !(row.text in texts) || !(row.contender in contenders)) continue;
    const key = `${row.text} ${row.contender}`;
    const { values } = valuesOf.get(key) ?? valuesOf.set(key, { ...row, values: [] }).get(key);
    values.push(row.value);
  }
  return [...valuesOf.values()].map(({ text, contender, values }) => {
    const value = median(values);
    return { text: texts[text], contender: contenders[contender], value, label: shown(value) };
  });
}

/** A vega specification: stacked panels of bars grouped by text. */
function specification({ date, machine, rows }, picture) {
  const { heading, panels } = picture;
  const [texts, contenders] = [Object.values(picture.texts), Object.values(picture.contenders)];
  const width = 560;
  const height = 290;
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 12,
    width,
    height: panels.length * (height + 56),
    title: {
      text: heading,
      subtitle: [`one core of ${machine.cpu} (${machine.family}), ${date}, Node ${machine.node}`],
      anchor: 'start',
      fontSize: 15,
      offset: 16,
    },
    scales: [{ name: 'colour', type: 'ordinal', domain: contenders, range: COLOURS }],
    legends: [
      { fill: 'colour', orient: 'bottom', direction: 'horizontal', columns: 3, columnPadding: 16, symbolType: 'square', labelLimit: 0 },
    ],
    data: panels.map((panel, index) => ({ name: `panel${index}`, values: barsOf(panel, rows, picture) })),
    marks: panels.map(({ title }, index) => ({
      type: 'group',
      title: { text: title, anchor: 'start', fontSize: 13, fontWeight: 'normal', offset: 6 },
      encode: { enter: { y: { value: index * (height + 56) + 20 }, width: { value: width }, height: { value: height } } },
      scales: [
        { name: 'y', type: 'band', domain: texts, range: [0, height], paddingInner: 0.18 },
        { name: 'x', type: 'linear', domain: { data: `panel${index}`, field: 'value' }, range: [0, width - 60], nice: false, zero: true },
      ],
      axes: [{ orient: 'left', scale: 'y', ticks: false, domain: false, labelPadding: 8, labelFontSize: 12 }],
      marks: [
        {
          type: 'group',
          from: { facet: { data: `panel${index}`, name: 'text', groupby: 'text' } },
          encode: { enter: { y: { scale: 'y', field: 'text' } } },
          signals: [{ name: 'height', update: "bandwidth('y')" }],
          scales: [{ name: 'bar', type: 'band', domain: contenders, range: 'height' }],
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
