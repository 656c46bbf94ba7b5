// The decoder of a vocabulary: the steps of its cartridge over the texts of its tokens.

import type { EngineTokenizer } from '../../engine/engine.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { Utf8Run } from '../../base/text-encodings.js';
import type { Decoding, DecodingRun } from '../metadata.js';
import { type Chain, ChainRun, chainOf, TextRun } from './chain.js';
import { Output, PieceRun } from './piece-run.js';
import { PieceTable } from './piece-table.js';
import { bytesOfText } from './bytes.js';
import { checkedSpec } from './decoder-spec.js';
import { wholeText } from './text-stages.js';
import { TokenTexts } from './token-texts.js';

/** Larger output buffers are not kept for the next call. */
const KEPT = 1 << 22;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Creates the decoder of an engine; throws a TokenizerError for metadata without a valid decoder. */
export function decoderOf(spec: unknown, engine: EngineTokenizer): Decoder {
  return new Decoder(spec, engine);
}

/** The text of tokens that are spelled as in a vocabulary. `spec`: of its metadata; without one, its tokens are byte-level. */
export function textOfTokens(spec: unknown, tokens: Iterable<string>, engine: EngineTokenizer): string {
  const run = new ChainRun(chainOf(spec === undefined ? [{ type: 'ByteLevel' }] : checkedSpec(spec, engine).steps), false);
  for (const token of tokens) run.push(token);
  return run.end();
}

export class Decoder implements Decoding {
  readonly #chain: Chain;
  readonly #texts: TokenTexts;
  /** With special tokens and without; null if a table cannot do the chain. */
  readonly #tables: (PieceTable | null | undefined)[] = [];
  readonly #outputs = new Outputs();

  constructor(spec: unknown, engine: EngineTokenizer) {
    const checked = checkedSpec(spec, engine);
    this.#chain = chainOf(checked.steps);
    this.#texts = new TokenTexts(engine, checked);
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    const table = this.#table(skipSpecial);
    if (!table) return this.#byChain(ids, skipSpecial, false);
    return this.#byTable(table, ids, false, (bytes) => {
      return this.#chain.onText.reduce((text, step) => wholeText(step, text, false), utf8.decode(bytes));
    });
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    const table = this.#chain.onText.length > 0 ? null : this.#table(skipSpecial);
    if (!table) return bytesOfText(this.#byChain(ids, skipSpecial, true));
    return this.#byTable(table, ids, true, (bytes) => bytes.slice());
  }

  begin(skipSpecial: boolean): DecodingRun {
    const table = this.#table(skipSpecial);
    if (!table) return new ChainDecoding(this.#chain, this.#texts, skipSpecial);
    return new PieceDecoding(table, this.#chain, this.#outputs);
  }

  #table(skipSpecial: boolean): PieceTable | null {
    const index = skipSpecial ? 1 : 0;
    return (this.#tables[index] ??= PieceTable.of(this.#chain, this.#texts, skipSpecial) ?? null);
  }

  #byChain(ids: Uint32Array, skipSpecial: boolean, raw: boolean): string {
    const run = new ChainRun(this.#chain, raw);
    pushTokens(run, ids, this.#texts, skipSpecial);
    return run.end();
  }

  #byTable<Result>(table: PieceTable, ids: Uint32Array, raw: boolean, read: (bytes: UnsharedUint8Array) => Result): Result {
    return this.#outputs.lend((output) => {
      const run = new PieceRun(table, raw);
      run.push(ids, output);
      run.end(output);
      return read(output.bytes.subarray(0, output.length));
    });
  }
}

/** The output buffer of all calls, one after another: with one for each stream, a thousand streams would hold megabytes. */
class Outputs {
  #idle: Output | undefined;

  lend<Result>(work: (output: Output) => Result): Result {
    const output = this.#idle ?? new Output();
    this.#idle = undefined;
    output.length = 0;
    try {
      return work(output);
    } finally {
      if (output.bytes.length <= KEPT) this.#idle = output;
    }
  }
}

function pushTokens(run: ChainRun, ids: Uint32Array, texts: TokenTexts, skipSpecial: boolean): void {
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number;
    const text = texts.of(id, index);
    if (!skipSpecial || !texts.isSpecial(text)) run.push(text);
  }
}

class ChainDecoding implements DecodingRun {
  readonly #texts: TokenTexts;
  readonly #skipSpecial: boolean;
  readonly #run: ChainRun;

  constructor(chain: Chain, texts: TokenTexts, skipSpecial: boolean) {
    this.#texts = texts;
    this.#skipSpecial = skipSpecial;
    this.#run = new ChainRun(chain, false);
  }

  push(ids: Uint32Array): string {
    pushTokens(this.#run, ids, this.#texts, this.#skipSpecial);
    return this.#run.take();
  }

  end(): string {
    return this.#run.end();
  }
}

class PieceDecoding implements DecodingRun {
  readonly #table: PieceTable;
  readonly #run: PieceRun;
  readonly #text: TextRun;
  readonly #outputs: Outputs;
  readonly #utf8 = new Utf8Run();

  constructor(table: PieceTable, { onText }: Chain, outputs: Outputs) {
    this.#table = table;
    this.#run = new PieceRun(table, false);
    this.#text = new TextRun(onText, false);
    this.#outputs = outputs;
  }

  push(ids: Uint32Array): string {
    // Most ids add the same characters each time: a lookup takes a tenth of the time of bytes that are decoded.
    const text = ids.length === 1 && this.#run.isSettled ? this.#table.wholeText(ids[0] as number, 0) : undefined;
    if (text !== undefined) return this.#text.push(text === '' ? text : this.#utf8.end() + text);
    return this.#outputs.lend((output) => {
      this.#run.push(ids, output);
      return this.#taken(output);
    });
  }

  end(): string {
    return this.#outputs.lend((output) => {
      this.#run.end(output);
      return this.#taken(output) + this.#text.push(this.#utf8.end()) + this.#text.end();
    });
  }

  #taken({ bytes, length }: Output): string {
    return length === 0 ? '' : this.#text.push(this.#utf8.push(bytes.subarray(0, length)));
  }
}
