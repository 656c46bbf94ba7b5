// A curve of compression as a picture. Packages that draw charts are many times the size of this one, for a line and two
// axes.

import type { Curve } from '../compression.js';
import { inThousands } from './fields.js';

const WIDTH = 640;
const HEIGHT = 400;
const LEFT = 56;
const RIGHT = 24;
const TOP = 48;
const BOTTOM = 56;
const COLOUR = '#d1495b';

/** An SVG: bytes per token by the size of the vocabulary, which is on a logarithmic scale. */
export function curveAsSvg(curve: Curve): string {
  const sizes = curve.map(({ tokens }) => Math.log(tokens));
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const top = Math.ceil(Math.max(...curve.map(({ bytesPerToken }) => bytesPerToken)) + 0.2);
  const x = (tokens: number) => round(LEFT + ((Math.log(tokens) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) => round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const points = curve.map(({ tokens, bytesPerToken }) => ({ tokens, bytesPerToken, x: x(tokens), y: y(bytesPerToken) }));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="26" font-size="15" font-weight="bold">Bytes of held-out text for each token (more is better)</text>`,
  ];
  for (let value = 0; value <= top; value += Math.ceil(top / 8)) {
    lines.push(`<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
    lines.push(`<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`);
  }
  for (const { tokens, x } of points) {
    lines.push(`<text x="${x}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${inThousands(tokens)}</text>`);
  }
  lines.push(`<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 14}" text-anchor="middle">tokens of the vocabulary</text>`);
  lines.push(`<polyline points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}" fill="none" stroke="${COLOUR}" stroke-width="2"/>`);
  for (const { tokens, bytesPerToken, x, y } of points) {
    const title = `<title>${inThousands(tokens)} tokens: ${bytesPerToken} bytes per token</title>`;
    lines.push(`<circle cx="${x}" cy="${y}" r="3.5" fill="${COLOUR}">${title}</circle>`);
  }
  return `${lines.join('\n')}\n</svg>\n`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
