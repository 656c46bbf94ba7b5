// DNABERT-2: BPE over bases, from the model's `tokenizer.json`. The engine requires all 256 bytes as tokens. Non-base bytes occur in no
// merge, so they stop merging just as an unknown character does; afterwards they become the unknown id or, for white space, nothing.

import type { CompilerInput } from '../engine/compiler.js';
import { TokenizerError } from '../base/errors.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { AS_THE_VOCABULARY, type DnaEngine, type DnaFacts, type DnaNames, type Maybe } from '../engine/dna-engine.js';
import { leaveOut } from './dna-options.js';
import { ListEngine } from './list-engine.js';

const BYTES = 256;
const AS_TEXT = 0;
const NOTHING = -1;
const [KEEP, NORMALIZE, REJECT] = [2, 1, 0];

interface BpeRules {
  /** Token bytes by id, special tokens included. */
  tokens: string[];
  /** Pairs, in merge order. */
  merges: [string, string][];
  ids: ReadonlyMap<string, number>;
  special: { text: string; id: number; special: boolean }[];
  facts: DnaFacts;
}

/** Opens it with an engine for byte-level BPE. `policies`: the numbers of crayon_dna_policies. */
export function openDnabert2(
  json: unknown,
  policies: Uint32Array,
  openBpe: (vocabulary: CompilerInput) => Maybe<EngineTokenizer>,
): Maybe<DnaEngine> {
  const rules = rulesOf(json);
  checkMerges(rules);
  const opened = openBpe(rankedTokens(rules));
  const engineOf = (tokenizer: EngineTokenizer) => bpeEngine(rules, tokenizer, policies);
  return opened instanceof Promise ? opened.then(engineOf) : engineOf(opened);
}

function bpeEngine(rules: BpeRules, tokenizer: EngineTokenizer, policies: Uint32Array): DnaEngine {
  const { facts, ids, merges, tokens, special } = rules;
  const known = Int32Array.from({ length: BYTES + merges.length }, (_, rank) => {
    if (rank >= BYTES) return ids.get((merges[rank - BYTES] as [string, string]).join('')) as number;
    if (isSpace(rank) || (rank & 0xc0) === 0x80) return NOTHING; // the rest of a character: its first byte stands for it
    return ids.get(String.fromCharCode(rank)) ?? (facts.unknownId as number);
  });
  const prepare = preparation(policies);
  const bodyOf = (sequence: Uint8Array) => {
    const ranks = tokenizer.encode(prepare(sequence), AS_TEXT);
    let count = 0;
    for (let index = 0; index < ranks.length; index++) {
      const id = known[ranks[index] as number] as number;
      if (id !== NOTHING) ranks[count++] = id;
    }
    return ranks.subarray(0, count);
  };
  const specialIds = new Set(special.map(({ id }) => id));
  const names: DnaNames = {
    kind: tokenizer.kind,
    describe: () => ({
      name: 'dnabert2',
      vocabularySize: tokens.length,
      kernel: tokenizer.describe().kernel,
      addedTokens: special,
    }),
    decode: (list, skip) => textOf(list, tokens, skip ? specialIds : new Set()),
    close: () => tokenizer.close(),
  };
  const whyNoKernels = 'devices have no kernels for the BPE of dnabert2; encode without a device';
  return new ListEngine(facts, names, whyNoKernels, bodyOf);
}

function textOf(ids: Uint32Array, tokens: readonly string[], left: ReadonlySet<number>): string {
  let text = '';
  ids.forEach((id, index) => {
    const token = tokens[id];
    if (token === undefined) throw new TokenizerError('there is no such id', { code: 'INVALID_ID', position: index });
    if (!left.has(id)) text += token;
  });
  return text;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Prepares a sequence: applies the policies, and replaces non-ASCII white space with a space. */
function preparation(policies: Uint32Array): (sequence: Uint8Array) => Uint8Array {
  const [lowerCase = KEEP, ambiguous = KEEP, n = KEEP] = [...policies].map((each) => (each === AS_THE_VOCABULARY ? KEEP : each));
  if (policies[3] !== AS_THE_VOCABULARY) throw leaveOut('tail', 'dnabert2 has no k-mers');
  const table = Int16Array.from({ length: BYTES }, (_, byte) => {
    const isLower = byte >= 0x61 && byte <= 0x7a;
    if (isLower && lowerCase === REJECT) return NOTHING;
    const upper = isLower && lowerCase === NORMALIZE ? byte - 0x20 : byte;
    const letter = String.fromCharCode(isLower ? byte - 0x20 : upper);
    if ('RYSWKMBDHV'.includes(letter)) return ambiguous === REJECT ? NOTHING : ambiguous === NORMALIZE ? 0x4e : upper;
    return letter === 'N' && n === REJECT ? NOTHING : upper;
  });
  const isPlain = table.every((to, byte) => to === byte);
  return (sequence) => {
    const ascii = sequence.some((byte) => byte >= 0x80) ? withPlainSpaces(sequence) : sequence;
    if (isPlain) return ascii;
    return ascii.map((byte, position) => {
      const to = table[byte] as number;
      if (to === NOTHING) throw new TokenizerError('the policies reject a byte', { code: 'UNKNOWN_BASE', position });
      return to;
    });
  };
}

function withPlainSpaces(sequence: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(sequence).replace(/\p{White_Space}/gu, ' '));
}

/** The vocabulary for the engine: bytes, then the results of merges. */
function rankedTokens({ merges }: BpeRules): CompilerInput {
  const offsets = new Uint32Array(BYTES + merges.length + 1);
  for (let byte = 0; byte < BYTES; byte++) offsets[byte + 1] = byte + 1;
  merges.forEach(([a, b], index) => {
    offsets[BYTES + index + 1] = (offsets[BYTES + index] as number) + a.length + b.length;
  });
  const bytes = new Uint8Array(offsets.at(-1) as number);
  for (let byte = 0; byte < BYTES; byte++) bytes[byte] = byte;
  merges.forEach((pair, index) => bytes.set(new TextEncoder().encode(pair.join('')), offsets[BYTES + index]));
  // Bases are letters, so a run of them is a single piece.
  const tokens = { bytes: new Uint8Array(0), offsets: Uint32Array.of(0), ids: new Uint32Array(0), flags: new Uint8Array(0) };
  return { model: 'bpe', bytes, offsets, metadata: '{}', views: [{ name: 'dnabert2', scanner: 'gpt2', tokens }] };
}

/**
 * Throws if a token, encoded alone, does not end in the pair that merges to it. Hugging Face repeatedly merges the adjacent pair that
 * comes first in its list, the engine the adjacent pair whose bytes are the token of the lowest rank. Two adjacent tokens depend only on
 * their own bytes: if these, joined, are a token, the two are the pair in which the token ends when it is encoded alone.
 */
function checkMerges({ merges }: BpeRules): void {
  const ranks = new Map(merges.map((pair, rank) => [pair.join(' '), rank]));
  merges.forEach(([a, b], rank) => {
    const parts = [...(a + b)];
    while (parts.length > 2) {
      let best = rank;
      let at = 0;
      for (let i = 0; i + 1 < parts.length; i++) {
        const found = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? rank;
        if (found < best) [best, at] = [found, i];
      }
      if (best === rank) break;
      parts.splice(at, 2, (parts[at] as string) + parts[at + 1]);
    }
    if (parts.length !== 2 || parts[0] !== a || parts[1] !== b) {
      throw unsupported(`the merge ${rank} (${a} ${b}) makes a token that its own bases do not become`);
    }
  });
}

function unsupported(what: string): TokenizerError {
  return new TokenizerError(`cannot use the tokenizer.json for DNA: ${what}`, { code: 'BUILD_FAILED' });
}

interface TokenizerJson {
  model?: {
    type?: string;
    vocab?: Record<string, number>;
    merges?: (string | [string, string])[];
    unk_token?: string;
    fuse_unk?: boolean;
    byte_fallback?: boolean;
    continuing_subword_prefix?: string | null;
    end_of_word_suffix?: string | null;
    ignore_merges?: boolean;
  };
  normalizer?: unknown;
  pre_tokenizer?: { type?: string } | null;
  added_tokens?: { id: number; content: string; special: boolean; single_word?: boolean; lstrip?: boolean; rstrip?: boolean }[];
  padding?: { direction?: string; pad_id?: number } | null;
  post_processor?: { type?: string; single?: ({ SpecialToken?: { id: string } } | { Sequence?: object })[] } | null;
}

/** Reads a file in DNABERT-2's form, and rejects anything that would give different ids. */
function rulesOf(json: unknown): BpeRules {
  const { model = {}, normalizer, pre_tokenizer, added_tokens = [], padding, post_processor } = json as TokenizerJson;
  const { vocab, merges: listed, unk_token } = model;
  if (model.type !== 'BPE' || !vocab || !Array.isArray(listed)) throw unsupported('its model is not BPE');
  if (normalizer) throw unsupported('it has a normalizer');
  if (pre_tokenizer?.type !== 'Whitespace') throw unsupported('its pretokenizer is not Whitespace');
  for (const option of ['fuse_unk', 'byte_fallback', 'continuing_subword_prefix', 'end_of_word_suffix', 'ignore_merges'] as const) {
    if (model[option]) throw unsupported(`it has ${option}`);
  }
  for (const { content, special, ...flags } of added_tokens) {
    if (!special) throw unsupported(`its added token ${content} is not special`);
    for (const flag of ['single_word', 'lstrip', 'rstrip'] as const) {
      if (flags[flag]) throw unsupported(`its added token ${content} has ${flag}`);
    }
  }
  const ids = new Map(Object.entries(vocab));
  const unknownId = ids.get(unk_token ?? '');
  if (unknownId === undefined) throw unsupported('it has no unknown token');
  const merges = listed.map((pair) => (typeof pair === 'string' ? (pair.split(' ') as [string, string]) : pair));
  for (const [a, b] of merges) {
    if (!/^[A-Z]+$/.test(a) || !/^[A-Z]+$/.test(b) || !ids.has(a + b)) throw unsupported(`the merge '${a} ${b}' is not one of bases`);
  }
  const specials = new Set(added_tokens.map(({ content }) => content));
  const tokens: string[] = [];
  for (const [token, id] of ids) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  return {
    tokens,
    merges,
    ids: new Map([...ids].filter(([token]) => !specials.has(token))),
    special: added_tokens.map(({ id, content, special }) => ({ text: content, id, special })).sort((a, b) => a.id - b.id),
    facts: {
      unit: 'bpe',
      k: 1,
      width: tokens.length <= 256 ? 1 : tokens.length <= 65_536 ? 2 : 4,
      unknownId,
      padId: padding?.pad_id ?? ids.get('[PAD]'),
      side: padding?.direction === 'Left' ? 'left' : 'right',
      ...templateOf(post_processor, tokens),
    },
  };
}

function templateOf(processor: TokenizerJson['post_processor'], tokens: readonly string[]): Pick<DnaFacts, 'before' | 'after'> {
  if (!processor) return { before: [], after: [] };
  if (processor.type !== 'TemplateProcessing' || !processor.single) throw unsupported('its post-processor is not a template');
  const names = processor.single.map((part) => ('SpecialToken' in part ? (part.SpecialToken?.id ?? '') : undefined));
  const at = names.indexOf(undefined);
  const idsOf = (part: (string | undefined)[]) => part.map((name) => tokens.indexOf(name ?? ''));
  return { before: idsOf(names.slice(0, at)), after: idsOf(names.slice(at + 1)) };
}
