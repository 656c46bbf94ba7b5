// How a loop can reuse what an earlier render of the same template has made of the same elements. Types only: renders of
// conversations that change have a memory (lib/chat/jinja/repeat), others have none.

import type { Assign } from '../compile/targets.js';
import type { Frame } from '../compile/frame.js';
import type { Execute } from '../compile/signals.js';
import type { For } from '../nodes.js';
import type { Value } from '../values/object.js';
import type { Activation } from './activation.js';

/** A loop at the top level of a template, compiled. */
export interface LoopCode {
  readonly node: For;
  /** The frame around the loop. */
  readonly frame: Frame;
  /** The slot of `loop`, if the body reads it. */
  readonly slot: number | undefined;
  readonly assign: Assign;
  /** Sets the variables of the body. */
  readonly enter: (activation: Activation) => void;
  readonly run: Execute;
}

export interface RenderMemory {
  /** Runs a loop and tells whether no iteration was completed; undefined if it cannot. */
  loop(code: LoopCode, activation: Activation, over: Value): boolean | undefined;
}
