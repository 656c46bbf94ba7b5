// The option `special`: special tokens in sequences, such as '[MASK]'. What lies between two special tokens is encoded as a separate
// sequence, as Hugging Face tokenizers do.

import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../api/arguments.js';
import { notKept } from '../engine/devices.js';
import type { Policy } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import type { DnaEngine, DnaFacts } from '../engine/dna-engine.js';
import { ListEngine } from './list-engine.js';

const encoder = new TextEncoder();

/** The engine for a policy: `engine` itself, if special tokens are text. */
export function withSpecial(engine: DnaEngine, policy: Policy): DnaEngine {
  if (policy === SPECIAL_AS_TEXT) return engine;
  const all = engine.names.describe().addedTokens.filter(({ special }) => special);
  const tokens = policy instanceof Uint32Array ? all.filter(({ id }) => policy.includes(id)) : all;
  if (tokens.length === 0) return engine;
  return specialEngine(engine, tokens, policy === SPECIAL_FORBID);
}

interface SpecialToken {
  text: string;
  id: number;
  strips?: boolean | undefined;
}

/** Passes sequences without special tokens to the engine; others are split, which takes many times as long. */
function specialEngine(base: DnaEngine, tokens: readonly SpecialToken[], forbids: boolean): DnaEngine {
  const facts: DnaFacts = { ...base.facts, unit: 'other' }; // the number of ids does not follow from the length
  const names = new Map(tokens.map(({ text, id }) => [asLatin1(encoder.encode(text)), id]));
  const firstBytes = new Set(tokens.map(({ text }) => encoder.encode(text)[0] as number));
  const stripping = new Set(tokens.filter(({ strips }) => strips).map(({ text }) => asLatin1(encoder.encode(text))));
  const pattern = patternOf([...names.keys()]);
  const partsIn = forbids
    ? (sequence: Uint8Array) => [sequence]
    : (sequence: Uint8Array) => partsOf(sequence, pattern, { names, stripping });
  const divided = new ListEngine(
    facts,
    base.names,
    'devices have no kernels for special tokens in sequences, and there is one in these; encode them without a device, or without the option special',
    (sequence) => {
      if (forbids) checkHasNone(sequence, pattern);
      return idsOfParts(base, sequence, partsIn(sequence));
    },
  );
  const engineFor = (bytes: Uint8Array): DnaEngine => {
    for (const byte of firstBytes) if (bytes.includes(byte)) return divided;
    return base;
  };
  const prepared: DnaEngine['prepared'] = async (sequences) => {
    const parts = sequences.flatMap((sequence) => partsIn(sequence).filter((part) => typeof part !== 'number'));
    return specialEngine((await base.prepared?.(parts)) as DnaEngine, tokens, forbids);
  };
  return {
    base,
    facts,
    names: base.names,
    ...(base.prepared && { prepared }),
    bases: base.bases,
    devices: base.devices?.bind(base),
    whyNoKernels: base.whyNoKernels,
    countRows: (rows, around) => engineFor(rows.bytes).countRows(rows, around),
    encode: (bytes, type, around) => engineFor(bytes).encode(bytes, type, around),
    encodeInto: (bytes, flags, ids) => engineFor(bytes).encodeInto(bytes, flags, ids),
    encodeRows: (matrix, threads) => engineFor(matrix.rows.bytes).encodeRows(matrix, threads),
    job: (matrix, threads) => engineFor(matrix.rows.bytes).job?.(matrix, threads),
    deviceJob: (rows, matrix, threads) => engineFor(rows.rows.bytes).deviceJob?.(rows, matrix, threads),
    keptJob(plan) {
      const engine = engineFor(plan.rows.bytes);
      if (engine.whyNoKernels !== undefined) throw notKept(engine.whyNoKernels);
      return engine.keptJob?.(plan);
    },
    cartridge: () => base.cartridge(),
    close: () => base.close(),
  };
}

interface SpecialNames {
  names: ReadonlyMap<string, number>;
  /** The names of tokens that absorb the white space before them. */
  stripping: ReadonlySet<string>;
}

/** The end of a part after trimming trailing white space. */
function withoutSpace(sequence: Uint8Array, begin: number, end: number): number {
  while (end > begin && isSpace(sequence[end - 1] as number)) end--;
  return end;
}

/** ASCII white space; other white space in a string has become a space here. */
function isSpace(byte: number): boolean {
  return (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x20);
}

/** The bytes between tokens, as views of the sequence, and the ids of tokens, in turn. */
function partsOf(sequence: Uint8Array, pattern: RegExp, { names, stripping }: SpecialNames): (Uint8Array | number)[] {
  const parts: (Uint8Array | number)[] = [];
  let end = 0;
  for (const { 0: name, index } of asLatin1(sequence).matchAll(pattern)) {
    parts.push(sequence.subarray(end, stripping.has(name) ? withoutSpace(sequence, end, index) : index), names.get(name) as number);
    end = index + name.length;
  }
  parts.push(sequence.subarray(end));
  return parts;
}

function idsOfParts(base: DnaEngine, sequence: Uint8Array, parts: readonly (Uint8Array | number)[]): ArrayLike<number> {
  const [only] = parts;
  if (parts.length === 1 && only instanceof Uint8Array) return encodedPart(base, sequence, only);
  const ids: number[] = [];
  for (const part of parts) {
    if (typeof part === 'number') ids.push(part);
    else for (const id of encodedPart(base, sequence, part)) ids.push(id);
  }
  return ids;
}

function encodedPart(base: DnaEngine, sequence: Uint8Array, part: Uint8Array): Int32Array {
  try {
    return base.encode(part, 'int32', false) as Int32Array;
  } catch (error) {
    if (!(error instanceof TokenizerError)) throw error;
    throw new TokenizerError(error.message, { code: error.code, position: part.byteOffset - sequence.byteOffset + error.position });
  }
}

function checkHasNone(sequence: Uint8Array, pattern: RegExp): void {
  const position = asLatin1(sequence).search(pattern);
  if (position >= 0) throw new TokenizerError('a special token is forbidden', { code: 'SPECIAL_FORBIDDEN', position });
}

/** Matches the longest of the tokens that begin at the same byte. */
function patternOf(names: readonly string[]): RegExp {
  const escaped = [...names].sort((a, b) => b.length - a.length).map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'g');
}

/** One character per byte. */
function asLatin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}
