// What discovery found, for users. Types only.

/**
 * What {@link DnaTokenizer.discover} found, and where: in the object it was given, or by querying its tokenizer.
 *
 * @example
 * ```ts
 * const encode = (sequence: string) => Array.from(sequence, (base) => 2 + 'ACGTN'.indexOf(base));
 * using dna = await DnaTokenizer.discover({ tokenizer: { encode, pad_token_id: 0 }, model_max_length: 1024 });
 * const { padId, tokenLength, n, modelLength, reasons } = dna.discovery as DnaDiscovery;
 * [padId, tokenLength, n, modelLength]; // [0, 1, 'token', 1024]
 * reasons[0]; // 'padId 0: pad_token_id of the tokenizer'
 * ```
 */
export interface DnaDiscovery {
  /**
   * Where ids come from: generated tables, the tokenizer itself (see {@link DnaTokenizer.fallback}), or the fixed table of
   * `fallback: 'published'`.
   */
  ids: 'tables' | 'tokenizer' | 'published';
  /** The bases per token: 1, or k; undefined if tokens have no common length. */
  tokenLength: number | undefined;
  /** The padding id; undefined if neither the object nor the options give it. */
  padId: number | undefined;
  /** The id of unknown letters; undefined if the object does not give it and two non-base letters do not share an id. */
  unknownId: number | undefined;
  /**
   * How N is encoded: `'token'`, its own id; `'unknown'`, the unknown id; `'kmer'`, like any base in k-mers; `'refused'`, an
   * error; `'other'`, none of these.
   */
  n: 'token' | 'unknown' | 'kmer' | 'refused' | 'other';
  /**
   * The ids that the model takes: rows of batches are padded to it, unless `length` sets another number, or there is no padding
   * id. Undefined if neither the object nor the options give it.
   */
  modelLength: number | undefined;
  /** The object's padding side. */
  side: 'left' | 'right' | undefined;
  /** Special tokens named by the object. */
  specialTokens: ReadonlyMap<string, number>;
  /** The source of each finding, in words. */
  reasons: readonly string[];
}
