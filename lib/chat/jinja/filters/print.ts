// Values as JSON, and in pprint's format.

import { type Filter, filter } from './define.js';
import { toJson } from './json.js';
import { rarely } from '../rarely.js';

export const PRINT_FILTERS: [string, Filter][] = [
  ['pprint', filter('pprint()', (value) => rarely().prettyPrinted(value))],
  [
    'tojson',
    filter(
      'tojson(ensure_ascii=, indent=, separators=, sort_keys=)',
      (value, ascii = false, indent = null, separators = null, sortKeys = false) => toJson(value, { ascii, indent, separators, sortKeys }),
    ),
  ],
];
