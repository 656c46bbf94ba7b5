// What compiling needs for some files only, as a script that pages download with the first of them: the parser of patterns with its
// Unicode tables, and the reader for the general path, which has patterns, too.

export { compileRegex } from '../patterns/regex.js';
export { patternTables } from '../patterns/pattern-section.js';
export { wordRanges } from '../patterns/properties.js';
export { readGeneral } from './general.js';
