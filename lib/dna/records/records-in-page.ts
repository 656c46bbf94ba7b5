// Records on hosts without files: sources are fetched, and fflate inflates. The entry passes its parser.

import { shownPath, TokenizerError } from '../../base/errors.js';
import type { WasmSource } from '../../vocabularies/open/source.js';
import type { CheckedOptions } from './record-options.js';
import type { OpenParser } from '../../engine/record-parser.js';
import { Reading, type RecordHost } from './reading.js';
import { type NamedSource, openBlob } from './sources.js';

export function recordsOnWeb(parser: (wasm: WasmSource | undefined) => Promise<OpenParser>): { Reading: typeof Reading; host: RecordHost } {
  const host: RecordHost = {
    parser({ backend, wasm }: CheckedOptions) {
      if (backend === 'native') throw new TypeError("`backend` must be 'wasm' where there is no addon; received 'native'");
      return parser(wasm);
    },
    open: fetched,
    inflate: async () => (await import('../../io/gunzip-in-page.js')).gunzipInPage,
  };
  return { Reading, host };
}

async function fetched(url: string | URL): Promise<NamedSource> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    const message = `cannot read ${shownPath(String(url))}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
  return openBlob(response);
}
