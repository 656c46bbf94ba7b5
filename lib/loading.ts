// `Tokenizer.load` and `loadSync` of the entries: the same on every host.

import type { EngineTokenizer } from './engine/engine.js';
import { atCaller } from './base/errors.js';
import type { LoadOptions } from './open/load-options.js';
import type { LateSource, Source } from './open/source.js';
import type { Host } from './tokenizer/host.js';

/** What an entry opens vocabularies with. */
export interface Loading {
  /** Opens an available source synchronously. */
  openSync(source: Source, options?: LoadOptions): EngineTokenizer;
  host: Host;
}

/** The class of an entry, whose methods these are. */
interface Loaded<T> {
  new (engine: EngineTokenizer, host: Host): T;
  load(source: Source | LateSource, options?: LoadOptions): Promise<T>;
  loadSync(source: Source, options?: LoadOptions): T;
}

export function load<T>(Class: Loaded<T>, { host }: Loading, source: Source | LateSource, options?: LoadOptions): Promise<T> {
  return atCaller(Class.load, async () => new Class(await host.open(source, options), host));
}

export function loadSync<T>(Class: Loaded<T>, { host, openSync }: Loading, source: Source, options?: LoadOptions): T {
  return atCaller(Class.loadSync, () => new Class(openSync(source, options), host));
}
