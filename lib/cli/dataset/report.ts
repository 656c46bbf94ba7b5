// A page about a dataset: its amounts, the lengths of its documents, and its sources, with pictures.

import type { DatasetStatus } from '../../datasets/index.js';
import { inBytes, inThousands } from '../output/fields.js';

const WIDTH = 640;
const ROW = 22;
const LABEL = 200;
const VALUE = 110;

/** An HTML page that needs no other file. */
export function reportOf(folder: string, about: DatasetStatus): string {
  const { documents, tokens, bytes, tasks, done, empty, damagedCount, duplicates, sources } = about;
  const facts: [string, string][] = [
    ['tasks done', `${done.length} of ${tasks}`],
    ['documents', inThousands(documents)],
    ['documents without text', inThousands(empty)],
    ['damaged records left out', inThousands(damagedCount)],
    ['duplicates', duplicates === undefined ? 'not counted' : inThousands(duplicates)],
    ['text', inBytes(bytes)],
    ['tokens', inThousands(tokens)],
    ['bytes per token', tokens > 0 ? (bytes / tokens).toFixed(2) : 'none'],
  ];
  const lengths = about.lengths.map((count, power) => ({ label: rangeOf(power), value: count })).slice(1);
  const bySource = sources.map(({ name, tokens: value }) => ({ label: name, value }));
  const density = sources.map(({ name, bytes: text, tokens: count }) => ({ label: name, value: count > 0 ? text / count : 0 }));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(folder)}</title>
<style>body{font:15px/1.5 sans-serif;max-width:${WIDTH}px;margin:2em auto;padding:0 1em}td{padding-right:2em}svg{max-width:100%}</style>
<h1>${escaped(folder)}</h1>
<table>${facts.map(([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`).join('\n')}</table>
<h2>Documents by their length in tokens</h2>
${barsOf(lengths, inThousands)}
<h2>Tokens by source</h2>
${barsOf(bySource, inThousands)}
<h2>Bytes per token by source</h2>
${barsOf(density, (value) => value.toFixed(2))}
</html>
`;
}

function rangeOf(power: number): string {
  const [from, to] = [2 ** (power - 1), 2 ** power - 1];
  return from === to ? String(from) : `${inThousands(from)}–${inThousands(to)}`;
}

/** Horizontal bars, one below the other, as an SVG. */
function barsOf(bars: readonly { label: string; value: number }[], inWords: (value: number) => string): string {
  const greatest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const rows = bars.map(({ label, value }, index) => {
    const y = index * ROW;
    const width = ((WIDTH - LABEL - VALUE) * value) / greatest;
    return (
      `<text x="${LABEL - 8}" y="${y + 15}" text-anchor="end">${escaped(shortened(label))}<title>${escaped(label)}</title></text>` +
      `<rect x="${LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 6}" fill="#2e86ab"/>` +
      `<text x="${(LABEL + width + 6).toFixed(1)}" y="${y + 15}">${inWords(value)}</text>`
    );
  });
  const height = bars.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">\n${rows.join('\n')}\n</svg>`;
}

/** The end of a long name says more than its beginning. */
function shortened(label: string): string {
  return label.length > 30 ? `…${label.slice(-29)}` : label;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
