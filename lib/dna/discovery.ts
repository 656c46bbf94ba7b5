// What discovery has found, for users. Types only.

/**
 * What {@link DnaTokenizer.discover} has found, and where: in the object that it was given, as Algorithm 1 of DNATok reads it, or by
 * asking its tokenizer.
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
  /** What gives the ids: tables that were made, the tokenizer itself (see {@link DnaTokenizer.fallback}), or DNATok's own vocabulary. */
  ids: 'tables' | 'tokenizer' | 'published';
  /** The bases of a token: 1, or those of a k-mer; undefined where tokens have none in common. */
  tokenLength: number | undefined;
  /** The id that rows are padded with; undefined if the object does not say that, nor the options. */
  padId: number | undefined;
  /** The id of what has no other; undefined if neither the object says that nor two letters that are no bases have one in common. */
  unknownId: number | undefined;
  /**
   * What becomes of N: `'token'`, an id of its own; `'unknown'`, the unknown id; `'kmer'`, a base like others in k-mers; `'refused'`,
   * an error; `'other'`, none of these.
   */
  n: 'token' | 'unknown' | 'kmer' | 'refused' | 'other';
  /** The most ids that the model takes, which nothing enforces: a `length` for batches. Undefined if the object does not say that. */
  modelLength: number | undefined;
  /** Which side the object says that padding goes to. */
  side: 'left' | 'right' | undefined;
  /** Special tokens that the object names. */
  specialTokens: ReadonlyMap<string, number>;
  /** Where each of these is from, in words. */
  reasons: readonly string[];
}
