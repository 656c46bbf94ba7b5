// The messages between a page and its workers. Types only.

import type { PartForm, Policy } from '../../engine/engine.js';
import type { StatusCode } from '../../base/errors.js';
import type { Texts } from '../../engine/text-rows.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import type { WasmModule } from '../../vocabularies/open/source.js';

/** How a worker opens the same tokenizer as the page. */
export interface WorkerRecipe {
  module: WasmModule;
  /** The cartridge as it was passed, so a slim one stays slim. */
  bytes: Uint8Array;
  options: { view?: string | undefined; kernel?: string | undefined; verify?: boolean | undefined };
  /** For a version 2 file: the unknown id with its unit. */
  unknown: number | undefined;
}

/** Texts for a worker: separate ones, or a part of one that may be too long for a message. */
export type WorkerTexts = { texts: Texts } | { part: string | Uint8Array; isFirst: boolean; isLast: boolean };

/** Messages to the worker: first what to open, then texts. `forget` refers to the long text whose parts have been sent so far. */
export type WorkerRequest =
  | { recipe: WorkerRecipe }
  | (WorkerTexts & { policy: Policy; counting: boolean; form: PartForm | undefined })
  | { forget: true };

/** Messages from the worker, one per request, except none for `forget`. For a part, totals are 0 and the number it added. */
export type WorkerAnswer =
  | { ready: true }
  | { ids: UnsharedUint32Array; totals: UnsharedUint32Array }
  | { failure: { message: string; code?: StatusCode; position?: number; row?: number | undefined } };
