// Rare statements, whose compiler is loaded with the first template that uses one.

import { Part } from '../../parts.js';
import type { Block, For, Parameters, Statement } from '../nodes.js';
import type { Context } from '../runtime/activation.js';
import type { Value } from '../values/object.js';
import type { Frame } from './frame.js';
import type { Body, Execute, Filtered, Oddities, StatementCompiler, Statements } from './signals.js';

export type RareStatement = Extract<
  Statement,
  { kind: 'filter block' | 'call block' | 'with' | 'block' | 'autoescape' | 'other template' }
>;

/** The exports of rare-statements.ts. */
export interface RareStatements {
  compileRare(node: RareStatement, frame: Frame, compiler: StatementCompiler): Execute;
  checkedBlocks(statements: readonly Statement[], source: string): Block[];
  checkParameters(parameters: Parameters, usesCaller: boolean, fail: (message: string, kind: string) => never): void;
  compileRecursive(node: For, frame: Frame, compiler: Statements, filtered: Filtered | undefined): Execute;
  refuseLoopTarget(node: For, frame: Frame): void;
  oddities(statements: readonly Statement[], name: string): Oddities;
  selfReference(context: Context, blocks: ReadonlyMap<string, Body>): Value;
}

/** Throws a MissingPart before it has been loaded. */
export const rareStatements = new Part<RareStatements>();
