/**
 * Bytes of text per token for vocabularies of different sizes, drawn by vega from reports of `crayon train --report`: one
 * line per report.
 *
 *     npm run bench:compression -- OUT.svg REPORT.json…
 */
import fs from 'node:fs';
import path from 'node:path';
import * as vega from 'vega';

const COLOURS = ['#d1495b', '#30638e', '#edae49', '#8d99ae'];

const [out, ...files] = process.argv.slice(2);
if (out === undefined || files.length === 0) throw new Error('usage: npm run bench:compression -- OUT.svg REPORT.json…');
const points = files.flatMap((file) => {
  const { curve } = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (!curve) throw new Error(`${file} has no curve: crayon train draws one with --held-out`);
  return curve.map((point) => ({ ...point, report: path.basename(file, '.json') }));
});
const svg = await new vega.View(vega.parse(specification(points)), { renderer: 'none' }).toSVG();
fs.writeFileSync(out, `${svg}\n`);
console.log(out);

function specification(values) {
  const reports = [...new Set(values.map(({ report }) => report))];
  const position = { x: { scale: 'x', field: 'tokens' }, y: { scale: 'y', field: 'bytesPerToken' } };
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 12,
    width: 560,
    height: 300,
    title: { text: 'Bytes of held-out text for each token (more is better)', anchor: 'start', fontSize: 15, offset: 16 },
    data: [{ name: 'points', values }],
    scales: [
      { name: 'x', type: 'log', domain: { data: 'points', field: 'tokens' }, range: 'width' },
      { name: 'y', type: 'linear', zero: true, nice: true, domain: { data: 'points', field: 'bytesPerToken' }, range: 'height' },
      { name: 'colour', type: 'ordinal', domain: reports, range: COLOURS },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: 'tokens of the vocabulary', format: ',', labelOverlap: true },
      { orient: 'left', scale: 'y', grid: true, title: 'bytes per token' },
    ],
    legends: reports.length > 1 ? [{ stroke: 'colour', orient: 'bottom', symbolType: 'stroke' }] : [],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'lines', data: 'points', groupby: 'report' } },
        marks: [
          {
            type: 'line',
            from: { data: 'lines' },
            encode: { enter: { ...position, stroke: { scale: 'colour', field: 'report' }, strokeWidth: { value: 2 } } },
          },
          {
            type: 'symbol',
            from: { data: 'lines' },
            encode: { enter: { ...position, fill: { scale: 'colour', field: 'report' }, size: { value: 30 } } },
          },
        ],
      },
    ],
  };
}
