// Makes a job of a source and the options of compileCartridge.

import { nameInConfig, readChatConfig } from './chat-config.js';
import { JsonNode } from './json-node.js';
import { namedTokensOf } from './token-roles.js';
import { bertConfigOf } from './vocab-txt.js';
import type { DatSource } from '../open/dat.js';
import { isSentencePiece, refuseForeign } from '../open/foreign.js';
import type { Split } from '../patterns/compile-pattern.js';
import { outOfRange, TokenizerError } from '../../base/errors.js';
import type { CartridgeForm } from '../../engine/compiler.js';
import type { CompileJob, ListKind, TokenSource, VocabularyJob } from './compile-job.js';
import { FAMILY_NAMES } from '../patterns/families.js';
import { checkLeftOut } from '../open/load-options.js';
import { type CompileOptions, DEFAULT_FAMILY } from './compile-cartridge.js';

/** The kind of token list, by a file's extension; undefined for other files. A `.model` may be SentencePiece's. */
export function listKind(location: string): ListKind | undefined {
  const ending = /\.(tiktoken|model|json|txt)(?:(?<=\.model)\.v\d\w*)?$/i.exec(location)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : ({ tiktoken: 'ranks', model: 'ranks', json: 'list', txt: 'lines' } as const)[ending];
}

/** The same for a file whose bytes are available. */
export function kindOfFile(as: ListKind, bytes: Uint8Array): ListKind {
  return as === 'ranks' && isSentencePiece(bytes) ? 'pieces' : as;
}

/** The job for tokens. `location`: the path or URL of their file. */
export function vocabularyJob(tokens: TokenSource, options: CompileOptions, location?: string): VocabularyJob & CompileJob {
  const isRanks = 'file' in tokens && tokens.as === 'ranks';
  const { model = isRanks ? 'bpe' : 'longest-match', unknownId, unknownUnit, specialTokens = {} } = options;
  const { name = location === undefined ? 'tokens' : stemOf(location) } = options;
  const superfluous = (['model', 'pretokenizer', 'specialTokens', 'unknownId', 'unknownUnit'] as const).find(
    (option) => options[option] !== undefined,
  );
  const pretokenizer = options.pretokenizer ?? (model === 'bpe' ? undefined : 'none');
  if (pretokenizer === undefined) {
    const names = `one of ${[...FAMILY_NAMES, 'none'].join(', ')}, or a pattern`;
    const example = isRanks ? ` (for the ranks of Llama 3: '${DEFAULT_FAMILY}')` : '';
    throw new TypeError(
      `cannot compile BPE without the option pretokenizer, which says how text is cut into pieces: pass ${names}${example}`,
    );
  }
  const config = configOf(options);
  if (model === 'bpe') checkLeftOut(options, ['unknownId', 'unknownUnit'], 'BPE has a token for each byte');
  return {
    tokens,
    model,
    unknownId,
    unknownUnit,
    name,
    pretokenizer: pretokenizer as string | Split[],
    specialTokens: Object.entries(specialTokens),
    superfluous,
    chat: readChatConfig(config),
    namedTokens: namedTokensOf(config, undefined),
    bert: bertConfigOf(config),
    form: formOf(options),
    source: location ?? `a list of ${'file' in tokens ? '' : `${tokens.offsets.length - 1} `}tokens`,
  };
}

/** The content of a tokenizer_config.json passed in the options. */
export function configOf({ tokenizerConfig }: CompileOptions): JsonNode | undefined {
  return tokenizerConfig ? JsonNode.ofValue(tokenizerConfig, 'tokenizerConfig') : undefined;
}

/** In bytes. Published ones have up to 35 MB. */
const MOST_BYTES = 2 ** 28;

/** The job for the bytes of a JSON file or of a SentencePiece model. */
export function fileJob(bytes: Uint8Array, options: CompileOptions, location?: string): VocabularyJob & CompileJob {
  const isPieces = isSentencePiece(bytes);
  const name = options.name ?? nameInConfig(configOf(options)) ?? (location === undefined ? 'tokenizer' : stemOf(location));
  const shown = location ?? `a ${isPieces ? 'SentencePiece model' : 'JSON file'} of ${bytes.length} bytes`;
  if (bytes.length > MOST_BYTES) {
    const message = `cannot read ${shown}: it is larger than a vocabulary may be (256 MiB)`;
    throw new TokenizerError(message, { code: 'FILE_TOO_LARGE' });
  }
  if (!isPieces) refuseForeign(bytes, shown);
  const job = vocabularyJob({ file: bytes, name: shown, as: isPieces ? 'pieces' : 'list' }, { ...options, name }, location);
  return { ...job, source: shown };
}

/** The job for a cartridge, or with `dat` for a version 2 file. */
export function cartridgeJob(cartridge: string | Uint8Array, dat: DatSource | undefined, options: CompileOptions): CompileJob {
  const contained = ['name', 'model', 'pretokenizer', 'specialTokens', 'tokenizerConfig'] as const;
  checkLeftOut(
    options,
    dat ? contained : [...contained, 'unknownId', 'unknownUnit'],
    `a ${dat ? 'version 2 file' : 'cartridge'} contains it`,
  );
  const source = typeof cartridge === 'string' ? cartridge : `a cartridge of ${cartridge.length} bytes`;
  return { cartridge, dat, form: formOf(options), source };
}

function formOf({ slim, version }: CompileOptions): CartridgeForm {
  return version === 2 ? 'dat' : slim ? 'slim' : 'full';
}

function stemOf(location: string): string {
  const stem = (location.split(/[/\\]/).at(-1) as string).replace(/(?:(?<=\.model)\.v\d\w*)?$/i, '').replace(/\.[^.]*$/, '');
  if (stem === '') throw outOfRange('a file with a name, or the option name,', 'source', location);
  return stem;
}
