// All parts of the renderer at once, for synchronous rendering.

import { continuing } from './apply.js';
import * as continued from './continued.js';
import { rareStatements } from './jinja/compile/rarely.js';
import { contents, statements, tags } from './jinja/rare.js';
import { clock, rare } from './jinja/rarely.js';
import { rareTags } from './jinja/tags.js';
import * as time from './jinja/time.js';
import { tables } from './jinja/unicode/characters.js';
import * as unicode from './jinja/unicode/tables.js';
import { jsonInput } from './json-input.js';
import * as json from './json.js';

export { assistantMaskOf } from './described.js';

/** Called here, too; whoever imports this file for its effect alone may get it from a bundler without. */
export function installParts(): void {
  rare.install(contents);
  rareStatements.install(statements);
  rareTags.install(tags);
  clock.install(time);
  continuing.install(continued);
  tables.install(unicode);
  jsonInput.install(json);
}

installParts();
