/** Our own templates, rendered by Python: goldens/NAME.json has the results of each group. */
import filters from './filters.mjs';
import found from './found.mjs';
import literals from './literals.mjs';
import statements from './statements.mjs';
import strings from './strings.mjs';
import unusual from './unusual.mjs';
import whitespace from './whitespace.mjs';

/** @type {Record<string, string[]>} */
export const CASES = Object.fromEntries(
  Object.entries({ literals, strings, filters, statements, whitespace, found, unusual }).map(([name, templates]) => [name, [...new Set(templates)]]),
);
