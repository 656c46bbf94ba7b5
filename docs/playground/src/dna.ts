// A sequence of bases as a genome model reads it, in the worker.

import { DnaTokenizer, reverseComplement } from 'crayon-tokenizer/dna';

import { dnaOffsets } from './dna-offsets.js';
import type { DnaAnswer, DnaRequest } from './messages.js';

export async function dna({ model, sequence, complement }: DnaRequest): Promise<DnaAnswer> {
  using tokenizer = await DnaTokenizer.load(model as 'nt-v2', { lowerCase: 'normalize', ambiguous: 'keep' });
  // A record of FASTA has a header.
  const clean = sequence.replace(/^>.*$/gm, '').replace(/\s+/g, '');
  const shown = complement ? reverseComplement(clean) : clean;
  const ids = Uint32Array.from(tokenizer.encode(shown, { addSpecialTokens: false }), Number);
  const offsets = dnaOffsets(tokenizer, shown, ids);
  const unknown = tokenizer.encodeBatch([shown], { addSpecialTokens: false }).unknown;
  return { text: shown, ids, offsets, unknown: Number(unknown), vocabularySize: tokenizer.vocabularySize };
}
