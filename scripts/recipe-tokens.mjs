/**
 * The tokens of a recipe in cartridges/recipes.
 *
 * `source` is a file of an npm package with lines of `base64 rank`: its ranks are the tokens. `sources` are several
 * such files, of which a profile is put together: the first `ids` tokens of each, in the order of their ids, `special`
 * ones among them, as far as no token before is the same when it is decoded with U+FFFD for what is not UTF-8. A
 * profile keeps the bytes of its tokens; that rule alone, which settles their ids, goes by what they are decoded to.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expected, root } from './process.mjs';

// The packages that vocabularies come from belong to this workspace.
const require = createRequire(path.join(root, 'cartridges', 'package.json'));

/**
 * The tokens of a recipe one behind the other: token i is bytes[offsets[i], offsets[i + 1]), an empty one is missing.
 * @param {object} recipe
 * @returns {{ bytes: Uint8Array, offsets: Uint32Array }}
 */
export function tokensOf(recipe) {
  const tokens = recipe.sources ? profileOf(recipe) : readRanks(readSource(recipe));
  const offsets = new Uint32Array(tokens.length + 1);
  for (let id = 0; id < tokens.length; ++id) offsets[id + 1] = offsets[id] + (tokens[id]?.length ?? 0);
  return { bytes: Uint8Array.from(Buffer.concat(tokens.filter((token) => token))), offsets };
}

/**
 * The file that a recipe's ranks come from; throws unless it is the one the recipe means.
 * @param {{ name: string, source: { package: string, file: string, sha256: string } }} recipe
 */
export function readSource({ name, source }) {
  const file = path.join(path.dirname(require.resolve(`${source.package}/package.json`)), source.file);
  const bytes = fs.readFileSync(file);
  const digest = sha256(bytes);
  if (digest !== source.sha256) {
    throw expected(`${name}: ${source.package}/${source.file} has sha256 ${digest}, the recipe wants ${source.sha256}`);
  }
  return bytes;
}

/** Lines of `base64 of the token, space, rank`, ranks ascending. A rank that no line has is undefined. */
function readRanks(text) {
  const tokens = [];
  for (const line of text.toString('latin1').split('\n')) {
    if (line === '') continue;
    const [encoded, rankText] = line.split(' ');
    const rank = Number(rankText);
    if (!Number.isInteger(rank) || rank < tokens.length) throw expected(`ranks do not ascend at the line '${line}'`);
    while (tokens.length < rank) tokens.push(undefined);
    tokens.push(Buffer.from(encoded, 'base64'));
  }
  return tokens;
}

function profileOf({ name, sources, tokensSha256 }) {
  const tokens = [];
  const seen = new Set();
  sources.forEach((source, index) => {
    const ranks = readRanks(readSource({ name, source }));
    for (const [text, id] of source.special ?? []) ranks[id] = Buffer.from(text);
    const chosen = ranks.filter((token) => token).slice(0, source.ids);
    if (chosen.length < source.ids) throw expected(`${name}: ${source.file} has ${chosen.length} tokens`);
    for (const token of chosen) {
      const text = token.toString();
      if (index === 0 || !seen.has(text)) tokens.push(token);
      seen.add(text);
    }
  });
  const digest = sha256OfTokens(tokens);
  if (digest !== tokensSha256) {
    throw expected(`${name}: its tokens have sha256 ${digest}, the recipe wants ${tokensSha256}`);
  }
  return tokens;
}

/** Of lines as rank files have them: `base64 id`. */
function sha256OfTokens(tokens) {
  return sha256(tokens.map((token, id) => `${token.toString('base64')} ${id}\n`).join(''));
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
