// What the running render is for.

import type { RenderMemory } from './memory.js';
import type { Output } from './output.js';

/** The template's output at its top level, and the spans of `{% generation %}`, during a render. */
export interface Rendering {
  root: Output;
  generation: number[];
  /** What earlier renders of the same template have left. */
  memory?: RenderMemory | undefined;
}
let rendering: Rendering | undefined;

export function setRendering(now: Rendering | undefined): void {
  rendering = now;
}

export function currentRendering(): Rendering {
  return rendering as Rendering;
}
