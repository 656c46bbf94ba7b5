// Parses tags, including rare ones, which are loaded with the first template that uses one.

import { Part } from '../parts.js';
import type { Parameters, Statement } from './nodes.js';
import type { ExpressionParser } from './parse-expressions.js';

/** The parser of a template, as tags see it. */
export interface TagParser extends ExpressionParser {
  /** The end of the tag, the statements up to a closing tag, and the closing tag's name. */
  blockTo(end: string): Statement[];
  parameters(): Parameters;
}

/** Parses the rest of a tag, whose name is the current token. */
export type TagReader = (parser: TagParser, at: number) => Statement;

/** The exports of rare-tags.ts. Throws a MissingPart before it has been loaded. */
export const rareTags = new Part<ReadonlyMap<string, TagReader>>();
