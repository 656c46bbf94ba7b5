// Texts that are edited, on WebAssembly.

import { EditedText, type TextOwner } from '../../engine/edited-text.js';
import type { OffsetUnit, Policy } from '../../engine/engine.js';
import type { Handle } from '../../engine/functions.js';
import { Arena } from './arena.js';
import type { WasmCore } from './core.js';
import { documentsIn } from './functions/documents.js';

/** What a document needs of its tokenizer. */
export interface TextLender {
  /** Throws if it is closed, or has stopped. */
  check(): void;
  /** The idle encoder. */
  encoder(): Handle;
  /** The open documents. */
  readonly documents: Set<Handle>;
}

/** An empty text to be edited. */
export function openText(lender: TextLender, core: WasmCore, tokenizer: Handle, policy: Policy, unit: OffsetUnit): EditedText {
  const arena = new Arena(core);
  const engine = Object.assign(arena, documentsIn(arena));
  const owner: TextOwner = {
    get engine() {
      lender.check();
      return engine;
    },
    get encoder() {
      return lender.encoder();
    },
    documents: lender.documents,
  };
  return EditedText.open(owner, tokenizer, policy, unit);
}
