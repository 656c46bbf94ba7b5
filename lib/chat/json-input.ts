// Input as JSON text; its parser loads with the first such chat.

import type { Value } from './jinja/template.js';
import { Part } from './parts.js';

export interface JsonInput {
  parseJson(text: string, name?: string): Value;
  parseMessages(text: string): Value;
}

/** lib/chat/json.ts */
export const jsonInput = new Part<JsonInput>();
