// Ids to texts and bytes.

import { fromCaller } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import {
  checkedIdRows,
  type DecodeOptions,
  decodingOf,
  type DeviceDecodeOptions,
  idArray,
  skipsSpecial,
  type TokenIds,
} from '../arguments.js';
import { decodedRows } from '../device-decoding.js';
import { failureInIds } from '../failures.js';
import { TokenBatch } from '../token-batch.js';
import { FittingTokenizer } from './fitting.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

/** Keeps a leading byte order mark, as the engine does. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** An open vocabulary that also decodes ids. */
export class DecodingTokenizer extends FittingTokenizer {
  /**
   * The text of the given ids. A leading byte order mark is kept; invalid UTF-8, such as part of a character, becomes U+FFFD. If
   * the model's `tokenizer.json` has a decoder other than ByteLevel, as BERT's and Llama 2's do, that decoder produces the text.
   * Throws `INVALID_ID`, with the index, for an id without a token.
   *
   * @example
   * ```ts
   * tokenizer.decode([24912, 2375]); // 'hello world'
   * tokenizer.decode([24912, 199999], { skipSpecialTokens: true }); // 'hello'
   * tokenizer.decode([24912, 300000]); // throws TokenizerError (INVALID_ID)
   * ```
   */
  decode(ids: TokenIds, options?: DecodeOptions): string {
    try {
      const skip = skipsSpecial(options);
      return (vocabularyOf(this).decoding ?? engineOf(this)).decode(idArray(ids), skip);
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, vocabularyOf(this)), DecodingTokenizer.prototype.decode);
    }
  }

  /**
   * The texts of many lists of ids, such as the rows of a batch; each is decoded alone. An error names its row.
   *
   * @example
   * ```ts
   * tokenizer.decodeBatch([[24912, 2375], [24912]]); // ['hello world', 'hello']
   * tokenizer.decodeBatch(tokenizer.encodeBatch(['one', 'two'])); // ['one', 'two']
   * tokenizer.decodeBatch([[24912]], { device: 'cuda' }); // throws TokenizerError (DEVICE_UNAVAILABLE)
   * ```
   */
  decodeBatch(rows: TokenBatch | Iterable<TokenIds>, options?: DeviceDecodeOptions): string[] {
    const texts: string[] = [];
    let ids: TokenIds = [];
    try {
      const { skip, device } = decodingOf(options);
      let given = checkedIdRows(rows);
      if (device !== undefined && !(given instanceof TokenBatch)) given = [...given]; // the CPU may have to read them too
      const onDevice = decodedRows(
        { engine: engineOf(this), vocabulary: vocabularyOf(this), skip, device },
        given,
        (row) => `rows[${row}]`,
      );
      if (onDevice) return onDevice.map((bytes) => UTF8.decode(bytes));
      const decoding = vocabularyOf(this).decoding ?? engineOf(this);
      for (ids of given) texts.push(decoding.decode(idArray(ids, `rows[${texts.length}]`), skip));
      return texts;
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, vocabularyOf(this), texts.length), DecodingTokenizer.prototype.decodeBatch);
    }
  }

  /**
   * The exact bytes of the given ids. With a decoder that builds text from tokens, they are the UTF-8 of that text, except that
   * byte tokens that are not valid UTF-8 keep their bytes.
   *
   * @example
   * ```ts
   * tokenizer.decodeBytes(tokenizer.encode('café')); // Uint8Array [99, 97, 102, 195, 169]
   * tokenizer.decodeBytes(tokenizer.encode(Uint8Array.of(0xff))); // Uint8Array [0xff]
   * ```
   */
  decodeBytes(ids: TokenIds, options?: DeviceDecodeOptions): UnsharedUint8Array {
    try {
      const { skip, device } = decodingOf(options);
      const onDevice = decodedRows({ engine: engineOf(this), vocabulary: vocabularyOf(this), skip, device }, [ids], () => 'ids');
      if (onDevice) return onDevice[0] as UnsharedUint8Array;
      return (vocabularyOf(this).decoding ?? engineOf(this)).decodeBytes(idArray(ids), skip);
    } catch (error) {
      throw fromCaller(failureInIds(error, ids, vocabularyOf(this)), DecodingTokenizer.prototype.decodeBytes);
    }
  }
}
