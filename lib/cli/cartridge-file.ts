// A cartridge as `inspect` and `verify` look at it: the file behind a name or path, the state of its two checks, and
// its views.

import { namesDat } from '../dat.js';
import { TokenizerError } from '../errors.js';
import { Tokenizer } from '../index.js';
import { explainBuiltIn, resolveSource } from '../sources.js';
import { engineOf } from '../tokenizer.js';
import { sizeOf } from './inputs.js';

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
};

/** `section 15` for one that has no name here. */
export function sectionName(id: number): string {
  return SECTIONS[id] ?? `section ${id}`;
}

/** Where a cartridge is refused. */
export interface Refusal {
  code: string;
  section: string;
  /** In the file, in bytes. */
  position: number;
  message: string;
}

/** A cartridge and what its checks say (cartridges/FORMAT.md, section 8: the checksum comes before the structure). */
export interface CartridgeFile {
  file: string;
  bytes: number;
  /**
   * Whether the bytes are those that were written; `not checked` if they have none, or do not even begin like a
   * cartridge.
   */
  checksum: 'matches' | 'differs' | 'not checked';
  /** Why the file cannot be used. */
  refusal?: Refusal;
  /** The names of the views; none of a file that is refused. */
  views: string[];
}

/** Opens a cartridge with both checks, and once more without the checksum if that is what fails. */
export function lookAt(source: string): CartridgeFile {
  const cartridge = resolveSource(source);
  const file = cartridge.source as string;
  const bytes = sizeOf(file);
  try {
    const views = viewsOf(file, true);
    return { file, bytes, checksum: namesDat(file) ? 'not checked' : 'matches', views };
  } catch (error) {
    if (!isRefusal(error)) throw explainBuiltIn(error, cartridge);
    if (error.code !== 'CHECKSUM_MISMATCH') {
      const checksum = isAfterChecksum(error) ? 'matches' : 'not checked';
      return { file, bytes, checksum, refusal: refusalOf(error), views: [] };
    }
  }
  try {
    return { file, bytes, checksum: 'differs', views: viewsOf(file, false) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { file, bytes, checksum: 'differs', refusal: refusalOf(error), views: [] };
  }
}

function viewsOf(file: string, verify: boolean): string[] {
  using tokenizer = Tokenizer.loadSync(file, { verify });
  return engineOf(tokenizer).describe().views;
}

const BEFORE_CHECKSUM = ['NOT_A_CARTRIDGE', 'UNSUPPORTED_VERSION', 'TRUNCATED'];
const AFTER_CHECKSUM = ['CORRUPT_STRUCTURE', 'MISSING_SECTION', 'UNKNOWN_SECTION'];

/** Whether an error is about what the file holds. */
function isRefusal(error: unknown): error is TokenizerError {
  return (
    error instanceof TokenizerError && [...BEFORE_CHECKSUM, 'CHECKSUM_MISMATCH', ...AFTER_CHECKSUM].includes(error.code)
  );
}

/** All of the structure but the file's length at 16 is looked at behind the checksum. */
function isAfterChecksum({ code, section, position }: TokenizerError): boolean {
  return AFTER_CHECKSUM.includes(code) && !(section === 0 && position === 16);
}

function refusalOf({ code, section, position, message }: TokenizerError): Refusal {
  return { code, section: sectionName(section), position, message };
}
