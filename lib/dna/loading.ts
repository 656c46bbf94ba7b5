// `load`, `loadSync` and `discover` of the entries' DnaTokenizer: the same on every host.

import { atCaller } from '../base/errors.js';
import { atOnce } from '../vocabularies/open/source.js';
import type { DiscoverOptions } from './discover.js';
import { type DnaHost, type DnaLoadOptions, type DnaSource, openDna, type OpenedDna } from './dna-sources.js';

/** The class of an entry, whose methods these are. */
interface Loaded<T> {
  new (opened: OpenedDna): T;
  load(source: DnaSource, options?: DnaLoadOptions): Promise<T>;
  loadSync(source: DnaSource, options?: DnaLoadOptions): T;
  discover(encodeFn: object, options?: DiscoverOptions): Promise<T>;
}

export function load<T>(Class: Loaded<T>, host: DnaHost, source: DnaSource, options?: DnaLoadOptions): Promise<T> {
  return atCaller(Class.load, async () => new Class(await openDna(host, source, options)));
}

export function loadSync<T>(Class: Loaded<T>, host: DnaHost, source: DnaSource, options?: DnaLoadOptions): T {
  return atCaller(Class.loadSync, () => new Class(atOnce(openDna(host, source, options), 'DnaTokenizer.load()')));
}

export function discover<T>(Class: Loaded<T>, host: DnaHost, encodeFn: unknown, options?: DiscoverOptions): Promise<T> {
  return atCaller(Class.discover, async () => {
    // Most programs discover nothing, so the first call loads the code.
    const { discover } = await import('./discover.js');
    return new Class(await discover(host, encodeFn, options));
  });
}
