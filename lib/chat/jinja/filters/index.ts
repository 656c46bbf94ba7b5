// The filters of Jinja2, by name, with transformers' replacements, except those that call other filters and tests.

import { BudgetError } from '../errors.js';
import { rarely } from '../rarely.js';
import { quotedText } from '../values/str.js';
import { COLLECTION_FILTERS } from './collections.js';
import type { Filter } from './define.js';
import { PRINT_FILTERS } from './print.js';
import { TEXT_FILTERS } from './text.js';

/** Randomness and HTML pages have no place in a prompt. */
const REFUSED = ['random', 'striptags', 'urlize', 'xmlattr'];

const RARE =
  'abs batch center dictsort filesizeformat float forceescape format groupby int max min round slice sort sum title truncate unique urlencode wordcount wordwrap'.split(
    ' ',
  );

/** All except those that call others. */
export const PLAIN_FILTERS: readonly [string, Filter][] = [
  ...TEXT_FILTERS,
  ...COLLECTION_FILTERS,
  ...PRINT_FILTERS,
  // The filters of rare.ts.
  ...RARE.map((name): [string, Filter] => [name, (value, args, keywords) => (rarely().FILTERS.get(name) as Filter)(value, args, keywords)]),
  ...REFUSED.map((name): [string, Filter] => [
    name,
    () => {
      throw new BudgetError(`the filter ${quotedText(name)} is not available in chat templates`, 'NotImplementedError');
    },
  ]),
];
