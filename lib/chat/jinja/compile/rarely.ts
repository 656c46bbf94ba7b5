// Statements that few templates have: what compiles them is loaded with the first template that has one.

import { Part } from '../../parts.js';
import type { Block, Statement } from '../nodes.js';
import type { Context } from '../runtime/activation.js';
import type { Value } from '../values/object.js';
import type { Frame } from './frame.js';
import type { Body, Execute, StatementCompiler } from './signals.js';

export type RareStatement = Extract<Statement, { kind: 'filter block' | 'call block' | 'with' | 'block' | 'autoescape' | 'other template' }>;

/** What rare-statements.ts has. */
export interface RareStatements {
  compileRare(node: RareStatement, frame: Frame, compiler: StatementCompiler): Execute;
  checkedBlocks(statements: readonly Statement[], source: string): Block[];
  selfReference(context: Context, blocks: ReadonlyMap<string, Body>): Value;
}

/** Throws a MissingPart before it has been loaded. */
export const rareStatements = new Part<RareStatements>();
