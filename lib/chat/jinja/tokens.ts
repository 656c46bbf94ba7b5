// What the lexer makes of a template.

import type { Value } from './values/object.js';

/** What kind of token it is: `data`, `name`, `string`, `number`, the four tag delimiters, `end`, or the operator itself. */
export type TokenType = string;

export interface Token {
  type: TokenType;
  /** The text of a name, of data, or of an operator. */
  text: string;
  /** Of a string or number. */
  value: Value;
  /** Where it begins in the source, in UTF-16 units. */
  at: number;
}
