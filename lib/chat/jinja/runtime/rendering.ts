// What the running render is for.

import type { TextBuilder } from '../values/str.js';
import type { RenderMemory } from './memory.js';

/** The template's output at its top level, and the spans of `{% generation %}`, during a render. */
export interface Rendering {
  root: TextBuilder;
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
