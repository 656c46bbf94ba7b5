// Compiles vocabularies. This folder names no engine and no entry: entries pass the compiler.
//
// compileCartridge is the same on every host: it copies the options and the source before it returns, so that later
// changes to them do not affect the result. The host decides how a job runs.

import type { LateSource, Source } from '../open/source.js';
import { atCaller, unexpected } from '../base/errors.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import { bytesOf, tagOf } from '../base/views.js';
import type { KnownTokens } from '../compile/known-tokens.js';
import { type CompileOptions, compileOptions, type TokenList, tokensOf } from './options.js';

/** Compiles tokens, or any source, on a host. The options are already checked. */
export type CompileOnHost = (source: Source | LateSource | KnownTokens, options: CompileOptions) => Promise<UnsharedUint8Array>;

/** Public: see `compileCartridge` of the entries. */
export type CompileCartridge = (source: Source | LateSource | TokenList, options?: CompileOptions) => Promise<UnsharedUint8Array>;

/** The public function for a host. */
export function compileCartridgeOn(compile: CompileOnHost): CompileCartridge {
  return function compileCartridge(source, given) {
    const work = async () => {
      const options = compileOptions(given);
      options.signal?.throwIfAborted();
      return compile(ownSource(source), options);
    };
    return atCaller(compileCartridge, work, given);
  };
}

/** Lists, bytes and URLs are copied: they may change before the work begins. */
function ownSource(source: Source | LateSource | TokenList): Source | LateSource | KnownTokens {
  if (Array.isArray(source)) return tokensOf(source);
  if (source === null || (typeof source !== 'string' && typeof source !== 'object')) {
    throw unexpected('a list of tokens, or what Tokenizer.load() takes (a name, a path or URL, bytes),', 'source', source);
  }
  if (tagOf(source) === 'URL') return new URL((source as URL).href);
  return bytesOf(source, 'source')?.slice() ?? (source as Source | LateSource);
}

/** Whether a source is an already parsed list of tokens. */
export function isTokens(source: Source | LateSource | KnownTokens): source is KnownTokens {
  return typeof source === 'object' && source !== null && 'offsets' in source;
}
