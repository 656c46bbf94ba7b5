// The filters of Jinja2, by name, with transformers' replacements, except those that call other filters and tests.

import { unsupported } from '../errors.js';
import { rarely } from '../rarely.js';
import { quotedText } from '../values/str.js';
import { COLLECTION_FILTERS } from './collections.js';
import { type Filter, filter } from './define.js';
import { toJson } from './json.js';
import { TEXT_FILTERS } from './text.js';

/** Randomness, pages of HTML and the breaking of lines have no place in a prompt. */
const REFUSED = ['forceescape', 'pprint', 'random', 'striptags', 'urlize', 'wordwrap', 'xmlattr'];

const RARE =
  'abs batch center dictsort filesizeformat float format groupby int max min round slice sort sum title truncate unique urlencode wordcount'.split(
    ' ',
  );

/** All except those that call others. */
export const PLAIN_FILTERS: readonly [string, Filter][] = [
  ...TEXT_FILTERS,
  ...COLLECTION_FILTERS,
  [
    'tojson',
    filter(
      'tojson(ensure_ascii=, indent=, separators=, sort_keys=)',
      (value, ascii = false, indent = null, separators = null, sortKeys = false) => toJson(value, { ascii, indent, separators, sortKeys }),
    ),
  ],
  // The filters of rare.ts.
  ...RARE.map((name): [string, Filter] => [name, (value, args, keywords) => (rarely().FILTERS.get(name) as Filter)(value, args, keywords)]),
  ...REFUSED.map((name): [string, Filter] => [name, () => unsupported(`the filter ${quotedText(name)}`)]),
];
