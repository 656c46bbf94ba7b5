// A cartridge as `inspect` and `verify` see it: the file for a name or path, the results of its two checks, and its
// views.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { namesDat } from '../vocabularies/open/dat.js';
import { TokenizerError } from '../base/errors.js';
import { DnaTokenizer } from '../dna.js';
import { Tokenizer } from '../index.js';
import { explainUnopened, resolveSource } from '../vocabularies/open/sources-in-node.js';
import { isCompiledSource } from '../vocabularies/open/foreign.js';
import { isForDna } from '../vocabularies/open/open-failed.js';
import { engineOf } from '../api/tokenizer.js';
import { inThousands } from './output/fields.js';
import { sizeOf } from './input/file-arguments.js';

/** The sections by id, as cartridges/FORMAT.md names them. */
const SECTIONS: Record<number, string> = {
  0: 'Header and section table',
  1: 'Metadata',
  2: 'Model',
  3: 'Views',
  4: 'Added tokens',
  5: 'Token offsets',
  6: 'Token bytes',
  7: 'Pieces8',
  8: 'Pieces24',
  9: 'PiecesLong',
  10: 'Splits',
  11: 'Pairs',
  12: 'Trie',
  13: 'Crossings',
  14: 'Merges',
  15: 'Joined bytes',
  16: 'Unmatched',
  17: 'DNA',
  18: 'Patterns',
  20: 'Ids',
  21: 'Ranks',
  22: 'Templates',
  23: 'Words',
  24: 'Normalizer program',
  25: 'Word pieces',
  26: 'Scores',
  27: 'Hidden tokens',
  28: 'Priorities',
  29: 'General',
};

/** `section 19` for an unknown one. */
export function sectionName(id: number): string {
  return SECTIONS[id] ?? `section ${id}`;
}

/** A cartridge's metadata, or why it cannot be read. */
export interface Metadata {
  metadata?: Readonly<Record<string, unknown>>;
  metadataFailure?: string;
}

/** A tokenizer's metadata, for display. */
export function metadataOf(tokenizer: Tokenizer): Metadata {
  try {
    return { metadata: tokenizer.metadata };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { metadataFailure: error.message };
  }
}

/** Replaces chat templates, which are long, with their names and lengths. */
export function withShortTemplates(metadata: Metadata['metadata']): Metadata['metadata'] {
  const { chat, ...rest } = metadata as { chat?: { templates?: unknown; variables?: unknown } };
  if (typeof chat?.templates !== 'object' || chat.templates === null) return metadata;
  const lengths = Object.entries(chat.templates).map(([name, text]) => [name, `${inThousands(String(text).length)} characters`]);
  return { ...rest, chat: { ...chat, templates: Object.fromEntries(lengths) } };
}

/** Where and why a cartridge is rejected. */
interface Refusal {
  code: string;
  section: string;
  /** In the file, in bytes. */
  position: number;
  message: string;
}

/** A cartridge and the results of its checks (cartridges/FORMAT.md, section 8: the checksum before the structure). */
export interface CartridgeFile {
  file: string;
  bytes: number;
  /**
   * Whether the bytes match the checksum; `not checked` for a version 2 file, which has none, and a file that fails
   * before that.
   */
  checksum: 'matches' | 'differs' | 'not checked';
  /** Why the file cannot be used. */
  refusal?: Refusal;
  /** The names of the views; empty for a rejected file, or a DNA one. */
  views: string[];
  /** Whether it is a DNA vocabulary, which another class opens. */
  isDna: boolean;
}

/** Advice for a source that can be compiled to a cartridge, such as a tokenizer.json; undefined for others. */
export function adviceToCompile(source: string): string | undefined {
  return isCompiledSource(source) ? `is not a cartridge: crayon compile ${source} -o NAME.cray makes one of it` : undefined;
}

/** Opens a cartridge with both checks, and again without the checksum if that fails. */
export function lookAt(source: string): CartridgeFile {
  const cartridge = resolveSource(source);
  const file = cartridge.source as string;
  const bytes = sizeOf(file);
  try {
    return { file, bytes, checksum: namesDat(file) ? 'not checked' : 'matches', ...opened(file, true) };
  } catch (error) {
    if (!isRefusal(error)) throw explainUnopened(error, cartridge);
    if (error.code !== 'CHECKSUM_MISMATCH') {
      const checksum = isAfterChecksum(error) ? 'matches' : 'not checked';
      return { file, bytes, checksum, refusal: refusalOf(error), views: [], isDna: false };
    }
  }
  try {
    return { file, bytes, checksum: 'differs', ...opened(file, false) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { file, bytes, checksum: 'differs', refusal: refusalOf(error), views: [], isDna: false };
  }
}

function opened(file: string, verify: boolean): Pick<CartridgeFile, 'views' | 'isDna'> {
  try {
    using tokenizer = Tokenizer.loadSync(file, { verify });
    return { views: engineOf(tokenizer).describe().views, isDna: false };
  } catch (error) {
    if (!isForDna(error)) throw error;
    DnaTokenizer.loadSync(pathToFileURL(resolve(file)), { verify }).close();
    return { views: [], isDna: true };
  }
}

const BEFORE_CHECKSUM = ['NOT_A_CARTRIDGE', 'UNSUPPORTED_VERSION', 'TRUNCATED'];
const AFTER_CHECKSUM = ['CORRUPT_STRUCTURE', 'MISSING_SECTION', 'UNKNOWN_SECTION'];

/** Whether an error refers to the content of the file. */
function isRefusal(error: unknown): error is TokenizerError {
  return error instanceof TokenizerError && [...BEFORE_CHECKSUM, 'CHECKSUM_MISMATCH', ...AFTER_CHECKSUM].includes(error.code);
}

/** Everything in the structure except the file's length, at 16, is checked after the checksum. */
function isAfterChecksum({ code, section, position }: TokenizerError): boolean {
  return AFTER_CHECKSUM.includes(code) && !(section === 0 && position === 16);
}

function refusalOf({ code, section, position, message }: TokenizerError): Refusal {
  return { code, section: sectionName(section), position, message };
}
