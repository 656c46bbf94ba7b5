/**
 * A text as its tokens, drawn from the ids and offsets of the package: `node scripts/token-picture.mjs` writes docs/public/tokens.svg, the
 * README's picture, which is light or dark as the reader's system. The site's build makes the picture that other sites show of it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root } from './process.mjs';

const README = {
  title: 'A text, as GPT-4o to GPT-5 read it',
  text: 'Colour every token: words, subwords, 1234567 digits, naïve accents, 日本語, Ελλάδα, सब, and f(x) => x ** 2',
  width: 440,
};

const COLOURS = ['#ffd9d4', '#ffe9b8', '#cdeccb', '#cbe4fb', '#e2d8ff'];
const DARK = ['#7d2f2a', '#6a4c0d', '#1f5a2c', '#1c4a72', '#4b3a8c'];

const STYLE = `
text { font-family: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #241f38; text-anchor: middle }
.title { font: 650 17px ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif; text-anchor: start }
.soft { font: 12px ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #57606a; text-anchor: start }
.token { font-size: 15px; white-space: pre }
.id { font-size: 10px; fill: #57606a }
.page { fill: #fff; stroke: #d0d7de }
${COLOURS.map((colour, at) => `.c${at} { fill: ${colour} }`).join('\n')}
@media (prefers-color-scheme: dark) {
text { fill: #f6f3ff }
.soft, .id { fill: #9da7b1 }
.page { fill: #161b22; stroke: #30363d }
${DARK.map((colour, at) => `.c${at} { fill: ${colour} }`).join('\n')}
}`;

/** @returns {Promise<string>} the README's picture */
export async function readmePicture() {
  const tokens = await tokensOf(README.text);
  const { boxes, height } = laidOut(tokens, { width: README.width - 28, top: 46 });
  const sizes = `${boxes.length} tokens of o200k_base, each with its id`;
  const label = `${README.title}: ${tokens.map(({ text, ids }) => `“${text}” ${ids.join(' ')}`).join(', ')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${README.width} ${height + 32}" width="${README.width}" height="${height + 32}" role="img" aria-label="${escaped(label)}">
<style>${STYLE}
</style>
<rect x="0.5" y="0.5" width="${README.width - 1}" height="${height + 31}" rx="10" class="page"/>
<text x="14" y="30" class="title">${README.title}</text>
<g transform="translate(14 0)">
${boxes.join('\n')}
</g>
<text x="14" y="${height + 16}" class="soft">${sizes}</text>
</svg>
`;
}

/** What other sites show of this one: 1200 × 630. @returns {Promise<string>} */
export async function cardPicture(logo) {
  const { boxes } = laidOut(await tokensOf('Exact token ids, wherever JavaScript runs: in Node, in pages, at the edge.'), {
    width: 480,
    top: 0,
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200" height="630">
<style>${STYLE.replace(/@media[\s\S]*$/, '')}
</style>
<rect width="1200" height="630" fill="#fff"/>
<svg x="76" y="68" width="96" height="96" viewBox="0 0 64 64">${logo.replace(/<\/?svg[^>]*>/g, '')}</svg>
<text x="196" y="134" class="title" style="font-size: 54px">crayon-tokenizer</text>
<g transform="translate(76 226) scale(2.15)">
${boxes.join('\n')}
</g>
<text x="76" y="566" class="soft" style="font-size: 27px">The ids of tiktoken and Hugging Face, from one engine in C++</text>
</svg>
`;
}

/** The tokens, those of one character together. @returns {Promise<{ text: string, ids: number[] }[]>} */
async function tokensOf(text) {
  const { Tokenizer } = await import('../dist/node/index.js');
  const tokenizer = await Tokenizer.load('o200k_base');
  const { ids, offsets } = tokenizer.encodeWithOffsets(text);
  tokenizer.close();
  const tokens = [];
  let end = 0;
  for (const [at, id] of ids.entries()) {
    const [from, to] = [offsets[2 * at], offsets[2 * at + 1]];
    if (from < end) tokens.at(-1).ids.push(id);
    else tokens.push({ text: text.slice(from, to), ids: [id] });
    end = to;
  }
  return tokens;
}

/** Boxes in lines, each as wide as its text or its id. */
function laidOut(tokens, { width, top }) {
  let [x, y] = [0, top];
  const boxes = tokens.map(({ text, ids }, at) => {
    const id = ids.join(' ');
    const wide = Array.from(text, (character) => (character > '\u2e7f' ? 15 : 9.1)).reduce((sum, each) => sum + each, 0);
    const own = Math.ceil(Math.max(wide, id.length * 6.1)) + 6;
    if (x > 0 && x + own > width) [x, y] = [0, y + 44];
    const middle = x + own / 2;
    const box = [
      `<rect x="${x}" y="${y}" width="${own}" height="24" rx="5" class="c${at % COLOURS.length}"/>`,
      `<text x="${middle}" y="${y + 17}" class="token">${escaped(text.replace(/^ /, '·'))}</text>`,
      `<text x="${middle}" y="${y + 36}" class="id">${id}</text>`,
    ];
    x += own + 3;
    return box.join('');
  });
  return { boxes, height: y + 44 };
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

if (isMain(import.meta.url)) {
  const file = path.join(root, 'docs', 'public', 'tokens.svg');
  fs.writeFileSync(file, await readmePicture());
  console.log(file);
}
