// Finds the bytes of a cartridge on hosts without files: the entry loads built-in names, URLs are fetched.

import { bytesOf, tagOf } from '../../base/views.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { builtInNamed, unknownName } from '../models.js';
import { listLocation, type ListText, namesDat } from './dat.js';
import { arrived, noSource, type Source } from './source.js';
import { utf8Text } from '../../base/text-encodings.js';

/** Loads a built-in cartridge by its name (of BuiltIn). */
export type CartridgeLoader = (name: string) => Uint8Array | Promise<Uint8Array>;

/** The bytes of a cartridge, or a promise of them, and the view that the source names. */
export interface Found {
  bytes: Uint8Array | Promise<Uint8Array>;
  view?: string;
  model?: string | undefined;
  /** The URL, if any. */
  url?: string;
  /** For a version 2 file: the list beside it, if any. */
  list?: Promise<ListText | undefined>;
}

/** Resolves a source. Throws a TypeError, or a TokenizerError for an unknown name. */
export function findOnWeb(source: Source, cartridge: CartridgeLoader): Found {
  if (typeof source === 'string') return findString(source, cartridge);
  if (source instanceof URL || tagOf(source) === 'URL') return foundAt((source as URL).href);
  const bytes = bytesOf(source, 'source');
  if (bytes) return { bytes: bytes.slice() }; // they may change before the engine is loaded, or before a worker opens them
  throw noSource('an encoding, a model, a URL, the bytes of a cartridge, a Response or a Blob', source);
}

function findString(source: string, cartridge: CartridgeLoader): Found {
  if (source === '') throw unexpected('the name of an encoding or model, or a URL,', 'source', source);
  const named = builtInNamed(source);
  if (named) return { bytes: cartridge(named.cartridge), view: named.view, model: named.model };
  if (/\/|\.(?:cray|dat|json|tiktoken|model)$/i.test(source)) return foundAt(source);
  throw new TokenizerError(unknownName(source, []), { code: 'FILE_NOT_FOUND' });
}

/** The cartridge at a URL; for a `.dat`, also the list of its tokens. */
function foundAt(url: string): Found {
  if (!namesDat(url)) return { bytes: fetched(url), url };
  const list = fetchedList(listLocation(url));
  list.catch(() => undefined); // awaited after the bytes, which may fail first
  return { bytes: fetched(url), list };
}

/** Undefined if there is none. */
async function fetchedList(file: string): Promise<ListText | undefined> {
  const response = await fetch(file);
  if (response.status === 404 || response.status === 410) return undefined;
  if (!response.ok) throw new Error(`cannot load the tokens from ${file}: ${response.status} ${response.statusText}`);
  return { text: utf8Text(new Uint8Array(await response.arrayBuffer()), file), file };
}

/** The error for a cartridge that no browser entry includes. */
export function tooLargeForScripts(name: string): TokenizerError {
  const path = `cartridges/${name}.cray`;
  const message = `the cartridge ${name} is too large for a script; load it by a URL of the package's ${path}`;
  return new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}

async function fetched(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    const message = `cannot load a cartridge from ${url}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
  return bytesOf(await arrived(response), 'source') as Uint8Array;
}
