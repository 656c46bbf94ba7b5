/** Three pictures of a result, drawn by vega: latency by length, speed-up by threads, accuracy by strategy. */
import * as vega from 'vega';

import { titleOf, TEXTS } from './documents.mjs';
import { OWN, onThreads } from './latency.mjs';
import { amdahl, scheduled, stagesOf } from './model.mjs';

const COLOURS = ['#d1495b', '#edae49', '#30638e', '#00798c', '#8d99ae', '#6a4c93', '#c4c9d4'];
const WIDTH = 620;
/** Lines of the picture of threads. */
const KINDS = ['measured', 'model: Amdahl', 'model: schedule'];

/** @returns {Promise<Record<string, string>>} SVG by name */
export async function charts(result) {
  const drawn = { latency: latencyChart, threads: threadsChart, accuracy: accuracyChart };
  const out = {};
  for (const [name, draw] of Object.entries(drawn)) {
    const specification = draw(result);
    if (specification === undefined) continue;
    out[name] = await new vega.View(vega.parse(specification), { renderer: 'none' }).toSVG();
  }
  return out;
}

/** The tokenizer in the pictures: o200k_base if it was measured. */
function chosen({ options }) {
  return options.encodings.includes('o200k_base') ? 'o200k_base' : options.encodings[0];
}

function subtitle({ machine, date }) {
  return `${machine.cpu} (${machine.family}), ${machine.cores} cores, ${date}, Node ${machine.node}`;
}

function base(result, title, height) {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 12,
    width: WIDTH,
    height,
    title: { text: title, subtitle: [subtitle(result)], anchor: 'start', fontSize: 15, offset: 16 },
  };
}

function latencyChart(result) {
  const encoding = chosen(result);
  const rows = result.rows.filter((row) => row.section === 'latency' && row.encoding === encoding);
  if (rows.length === 0) return undefined;
  const contenders = [...new Set(rows.map(({ contender }) => contender))];
  const panels = TEXTS.map((text) => rows.filter((row) => row.text === text));
  const height = 240;
  return {
    ...base(result, `one document, ${encoding}, ms by its length in characters (less is better)`, panels.length * (height + 66)),
    scales: [{ name: 'colour', type: 'ordinal', domain: contenders, range: COLOURS }],
    legends: [
      {
        stroke: 'colour',
        orient: 'bottom',
        direction: 'horizontal',
        columns: 3,
        columnPadding: 16,
        symbolType: 'stroke',
        symbolStrokeWidth: 3,
        labelLimit: 0,
      },
    ],
    data: panels.map((values, index) => ({ name: `panel${index}`, values })),
    marks: panels.map((_, index) => ({
      type: 'group',
      title: { text: titleOf(TEXTS[index]), anchor: 'start', fontSize: 13, fontWeight: 'normal', offset: 6 },
      encode: { enter: { y: { value: index * (height + 66) + 20 }, width: { value: WIDTH }, height: { value: height } } },
      scales: [
        { name: 'x', type: 'log', domain: { data: `panel${index}`, field: 'length' }, range: [0, WIDTH] },
        { name: 'y', type: 'log', domain: { data: `panel${index}`, field: 'value' }, range: [height, 0] },
      ],
      axes: [
        { orient: 'bottom', scale: 'x', values: [...new Set(rows.map(({ length }) => length))], format: '~s' },
        { orient: 'left', scale: 'y', values: [0.01, 0.1, 1, 10, 100, 1000], format: '~g', grid: true, title: 'ms' },
      ],
      marks: linesBy('contender', `panel${index}`, { x: 'length', y: 'value', colour: 'contender' }),
    })),
  };
}

/** Lines with points, one for each value of a field. */
function linesBy(field, data, { x, y, colour, dash }) {
  const position = { x: { scale: 'x', field: x }, y: { scale: 'y', field: y } };
  const stroke = { scale: 'colour', field: colour };
  return [
    {
      type: 'group',
      from: { facet: { name: `${data}-line`, data, groupby: field } },
      marks: [
        {
          type: 'line',
          from: { data: `${data}-line` },
          encode: { enter: { ...position, stroke, strokeWidth: { value: 2 }, ...(dash && { strokeDash: { field: dash } }) } },
        },
        { type: 'symbol', from: { data: `${data}-line` }, encode: { enter: { ...position, fill: stroke, size: { value: 22 } } } },
      ],
    },
  ];
}

function threadsChart(result) {
  const encoding = chosen(result);
  const { rows, options } = result;
  const texts = TEXTS.filter((text) => rows.some((row) => row.section === 'stages' && row.encoding === encoding && row.text === text));
  if (texts.length === 0) return undefined;
  const values = texts.flatMap((text) => {
    const found = stagesOf(rows, encoding, text);
    const counts = [...found.byThreads.keys()];
    const measured = rows.filter((row) => row.section === 'threads' && row.encoding === encoding && row.text === text);
    const one = measured.find(({ contender }) => contender === 'one encoder').value;
    const line = (kind, dash, points) =>
      points.map(([threads, times]) => ({ line: `${text} ${kind}`, text: titleOf(text), kind, dash, threads, times }));
    return [
      ...line(
        KINDS[0],
        [1, 0],
        measured.filter((row) => row.contender === 'threads' && row.threads <= options.cores).map((row) => [row.threads, one / row.value]),
      ),
      ...line(
        KINDS[1],
        [2, 3],
        counts.map((count) => [count, amdahl(found.byThreads.get(16), count)]),
      ),
      ...line(
        KINDS[2],
        [7, 4],
        counts.map((count) => [count, scheduled(found, count)]),
      ),
    ];
  });
  const height = 360;
  return {
    ...base(result, `${encoding}: times as fast as one encoder, by threads`, height),
    data: [{ name: 'lines', values }],
    scales: [
      { name: 'colour', type: 'ordinal', domain: texts.map(titleOf), range: COLOURS },
      {
        name: 'dash',
        type: 'ordinal',
        domain: KINDS,
        range: [
          [1, 0],
          [2, 3],
          [7, 4],
        ],
      },
      { name: 'x', type: 'log', base: 2, domain: [1, 32], range: 'width' },
      { name: 'y', type: 'log', base: 2, domain: [0.5, 32], range: 'height' },
    ],
    axes: [
      {
        orient: 'bottom',
        scale: 'x',
        values: [1, 2, 4, 8, 16, 32],
        format: 'd',
        title: `threads; this machine has ${options.cores} cores, what is beyond is a model, not a measurement`,
      },
      { orient: 'left', scale: 'y', values: [0.5, 1, 2, 4, 8, 16, 32], format: '~g', grid: true, title: 'times as fast' },
    ],
    legends: [
      { stroke: 'colour', orient: 'bottom', direction: 'horizontal', symbolType: 'stroke', symbolStrokeWidth: 3 },
      {
        strokeDash: 'dash',
        orient: 'bottom',
        direction: 'horizontal',
        columns: 2,
        columnPadding: 16,
        symbolType: 'stroke',
        symbolStrokeColor: '#333',
        symbolSize: 600,
        symbolStrokeWidth: 2,
        labelLimit: 0,
      },
    ],
    marks: linesBy('line', 'lines', { x: 'threads', y: 'times', colour: 'text', dash: 'dash' }),
  };
}

function accuracyChart(result) {
  const all = result.rows.filter((row) => row.section === 'strategies' && row.contender !== OWN);
  if (all.length === 0) return undefined;
  const threads = onThreads(result.options.cores);
  const name = (contender) => contender.replace(threads, 'crayon-tokenizer');
  const panels = ['documents', 'counterexamples'].map((text) =>
    all
      .filter((row) => row.text === text)
      .map((row) => ({ encoding: row.encoding, contender: name(row.contender), accuracy: row.accuracy, label: row.accuracy.toFixed(2) })),
  );
  const contenders = [...new Set(panels[0].map(({ contender }) => contender))];
  const encodings = [...new Set(panels[0].map(({ encoding }) => encoding))];
  const height = 60 * contenders.length;
  const counts = ['documents', 'counterexamples'].map((text) => all.find((row) => row.text === text).documents);
  return {
    ...base(result, 'share of texts with exactly the ids of the reference, by strategy', panels.length * (height + 56)),
    scales: [{ name: 'colour', type: 'ordinal', domain: encodings, range: COLOURS }],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal', symbolType: 'square' }],
    data: panels.map((values, index) => ({ name: `panel${index}`, values })),
    marks: panels.map((_, index) => ({
      type: 'group',
      title: {
        text: [`${counts[0]} documents`, `${counts[1]} counterexamples`][index],
        anchor: 'start',
        fontSize: 13,
        fontWeight: 'normal',
        offset: 6,
      },
      encode: { enter: { y: { value: index * (height + 56) + 20 }, width: { value: WIDTH }, height: { value: height } } },
      scales: [
        { name: 'y', type: 'band', domain: contenders, range: [0, height], paddingInner: 0.2 },
        { name: 'x', type: 'linear', domain: [0, 1], range: [0, WIDTH - 40] },
      ],
      axes: [{ orient: 'left', scale: 'y', ticks: false, domain: false, labelPadding: 8, labelFontSize: 12, labelLimit: 0 }],
      marks: [
        {
          type: 'group',
          from: { facet: { data: `panel${index}`, name: 'strategy', groupby: 'contender' } },
          encode: { enter: { y: { scale: 'y', field: 'contender' } } },
          signals: [{ name: 'height', update: "bandwidth('y')" }],
          scales: [{ name: 'bar', type: 'band', domain: encodings, range: 'height' }],
          marks: [
            {
              type: 'rect',
              from: { data: 'strategy' },
              encode: {
                enter: {
                  x: { scale: 'x', value: 0 },
                  x2: { scale: 'x', field: 'accuracy' },
                  y: { scale: 'bar', field: 'encoding' },
                  height: { scale: 'bar', band: 0.9 },
                  fill: { scale: 'colour', field: 'encoding' },
                },
              },
            },
            {
              type: 'text',
              from: { data: 'strategy' },
              encode: {
                enter: {
                  x: { scale: 'x', field: 'accuracy', offset: 4 },
                  y: { scale: 'bar', field: 'encoding', band: 0.45 },
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
