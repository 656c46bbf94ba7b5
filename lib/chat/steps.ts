// What encoding a chat consists of, for parts that load later.

import type { ChatRequest, OwnTemplates } from '../tokenizer/chat.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { ChatInput } from './apply.js';
import type { Rendered, Template } from './jinja/template.js';
import type { Part } from './parts.js';

/** A chat with its template, ready to render. */
export interface Prepared {
  /** The template's name, for errors. */
  name: string;
  template: Template;
  input: ChatInput;
  render(): Rendered;
}

export interface Steps {
  /** Whether harmony replaces a template. */
  isHarmony(request: ChatRequest, own: OwnTemplates, specialIds: ReadonlyMap<string, number>): boolean;
  templateFor(request: ChatRequest, own: OwnTemplates): { text: string; name: string };
  compiled(text: string, name: string): Template;
  prepared(request: ChatRequest, own: OwnTemplates): Prepared;
  /** Added tokens besides the special ones that the template's own text contains. */
  controlTokens(template: Template, engine: EngineTokenizer): Uint32Array;
  readonly harmony: Part<typeof import('./harmony/chat.js')>;
  readonly forbidding: Part<typeof import('./forbidden.js')>;
}
