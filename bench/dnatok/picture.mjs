/**
 * A picture of DNATok's grid, drawn by vega from a result of run.mjs: bases a second by shape, one bar for each way.
 *
 *     node bench/dnatok/picture.mjs bench/results/dnatok.json     writes dnatok.svg beside it
 */
import fs from 'node:fs';
import * as vega from 'vega';

import { median } from '../node/timing.mjs';

const OF_PEER = { 'transformers, to the device': 'onDevice', transformers: 'encode' };
const OF_GRID = {
  'crayon-tokenizer, host': ({ to, ahead }) => to === 'cpu' && ahead === undefined,
  'crayon-tokenizer, to the device': ({ to, ahead }) => to !== 'cpu' && ahead === undefined,
  'crayon-tokenizer, 8 matrices by batches()': ({ to, ahead }) => to !== 'cpu' && ahead === 1,
};
const WAYS = [...Object.keys(OF_PEER), ...Object.keys(OF_GRID)];
const COLOURS = ['#c4c9d4', '#8d99ae', '#edae49', '#d1495b', '#30638e'];
const PANEL = 230;

const [file] = process.argv.slice(2);
if (!file) throw new Error('usage: node bench/dnatok/picture.mjs FILE.json');
const result = JSON.parse(fs.readFileSync(file, 'utf8'));
const svg = await new vega.View(vega.parse(specification(result)), { renderer: 'none' }).toSVG();
fs.writeFileSync(file.replace(/\.json$/, '.svg'), svg);

/** Of the shapes that both have; the package's from bytes, to int32. */
function points({ rows }) {
  return rows
    .filter(({ section }) => section === 'peer')
    .flatMap((peer) => {
      const { model } = peer;
      const shape = `${peer.rows} × ${peer.bases}`;
      const theirs = Object.entries(OF_PEER).map(([way, times]) => ({
        model,
        shape,
        way,
        rate: (peer.rows * peer.bases) / median([...peer[times]]),
      }));
      const ours = rows.filter(
        (row) =>
          row.section === 'grid' &&
          row.model === model &&
          row.rows === peer.rows &&
          row.bases === peer.bases &&
          row.from === 'bytes' &&
          row.type === 'int32',
      );
      return [
        ...theirs,
        ...Object.entries(OF_GRID).flatMap(([way, isIt]) => ours.filter(isIt).map(({ rate }) => ({ model, shape, way, rate }))),
      ];
    });
}

function specification({ date, peer, machine, ...rest }) {
  const all = points(rest);
  const models = [...new Set(all.map(({ model }) => model))];
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 12,
    width: 680,
    height: models.length * (PANEL + 60),
    title: {
      text: 'bases a second to a matrix of int32 (more is better; logarithmic)',
      subtitle: [`${peer.device}, ${machine.cpu}, ${machine.cores} cores, ${date}`],
      anchor: 'start',
      fontSize: 15,
      offset: 16,
    },
    scales: [{ name: 'colour', type: 'ordinal', domain: WAYS, range: COLOURS }],
    legends: [
      { fill: 'colour', orient: 'bottom', direction: 'horizontal', columns: 2, columnPadding: 16, labelLimit: 0, symbolType: 'square' },
    ],
    data: models.map((model, index) => ({ name: `panel${index}`, values: all.filter((point) => point.model === model) })),
    marks: models.map((model, index) => ({
      type: 'group',
      title: { text: model, anchor: 'start', fontSize: 13, fontWeight: 'normal', offset: 6 },
      encode: { enter: { y: { value: index * (PANEL + 60) + 20 }, width: { value: 680 }, height: { value: PANEL } } },
      scales: [
        { name: 'x', type: 'band', domain: { data: `panel${index}`, field: 'shape' }, range: [0, 680], padding: 0.2 },
        { name: 'y', type: 'log', domain: { data: `panel${index}`, field: 'rate' }, range: [PANEL, 0], nice: true },
        { name: 'way', type: 'band', domain: WAYS, range: [0, { signal: `bandwidth('x')` }] },
      ],
      axes: [
        { orient: 'bottom', scale: 'x' },
        { orient: 'left', scale: 'y', format: '.0s', tickCount: 6, grid: true },
      ],
      marks: [
        {
          type: 'rect',
          from: { data: `panel${index}` },
          encode: {
            enter: {
              x: { signal: `scale('x', datum.shape) + scale('way', datum.way)` },
              width: { signal: `bandwidth('way') - 1` },
              y: { scale: 'y', field: 'rate' },
              y2: { value: PANEL },
              fill: { scale: 'colour', field: 'way' },
            },
          },
        },
      ],
    })),
  };
}
