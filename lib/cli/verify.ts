// `crayon verify`: whether cartridges are intact, and tokenize correctly. In every view each token is found by its bytes, whose ids decode
// to these bytes; an added token, where allowed, becomes its own id; and the sample texts have the ids of the reference, if the package
// has it. A token need not encode to itself, since the pretokenizer splits a few: these are counted, and compared with the reference's.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { EngineTokenizer } from '../engine/engine.js';
import { Tokenizer } from '../index.js';
import { cartridgeFolder } from '../vocabularies/open/built-in.js';
import { engineOf } from '../api/tokenizer.js';
import { adviceToCompile, type CartridgeFile, lookAt } from './cartridge-file.js';
import { idsOf } from './dna/dna-info.js';
import { openModel } from './dna/model.js';
import { report } from './report-failures.js';
import { inThousands } from './output/fields.js';
import { cartridgeFiles } from './info.js';
import { Progress, write } from './output/terminal.js';
import { REFERENCE, SAMPLE_TEXTS } from './samples.js';
import { InputError } from './command-errors.js';
import { quoted, textOf } from './output/token-text.js';

interface ViewReport {
  name: string;
  /** How many ids have a token, and how many do not. */
  tokens: number;
  holes: number;
  encodeToThemselves: number;
  /** Ids of tokens that are text and that the pretokenizer splits. */
  cut: number[];
  /** How many tokens are split because they begin or end inside a character. */
  cutInsideCharacters: number;
  /** How many tokens the normalizer changes: no text produces them. */
  changedByNormalizer: number;
  addedTokens: number;
  /** How many sample texts have the reference's ids; null without a reference. */
  samples: number | null;
  /** How many checks failed, and the first messages. */
  failures: number;
  messages: string[];
}

type CartridgeReport = CartridgeFile & { ok: boolean; reports: ViewReport[] };
type Row = CartridgeReport | { file: string; ok: false; error: string };

const MESSAGES = 20;
/** Tokens between two updates of the progress bar. */
const STRIDE = 4096;
const LISTED = 6;

/** Whether the cartridges pass all checks; by default the package's. */
export async function verify(sources: string[], options: { json: boolean; progress: boolean }): Promise<boolean> {
  const rows: Row[] = [];
  const named = sources.length > 0 ? sources : cartridgeFiles(cartridgeFolder());
  if (named.length === 0) throw new InputError(`there are no cartridges in ${cartridgeFolder()}`);
  for (const source of named) {
    try {
      const advice = adviceToCompile(source);
      if (advice !== undefined) throw new InputError(advice);
      const row = await verifyCartridge(lookAt(source), options.progress);
      rows.push(row);
      if (!options.json) await write(forPeople(row));
    } catch (error) {
      rows.push({ file: source, ok: false, error: report(source, error) });
    }
  }
  const ok = rows.every((row) => row.ok);
  if (options.json) await write(`${JSON.stringify({ ok, cartridges: rows })}\n`);
  return ok;
}

async function verifyCartridge(cartridge: CartridgeFile, wantsProgress: boolean): Promise<CartridgeReport> {
  const verify = cartridge.checksum !== 'differs';
  if (cartridge.isDna) {
    const reports = [verifyDna(cartridge.file, verify)];
    return { ...cartridge, ok: verify && reports.every(({ failures }) => failures === 0), reports };
  }
  const tokenizers = cartridge.views.map((view) => Tokenizer.loadSync(cartridge.file, { view, verify }));
  const ids = tokenizers.reduce((sum, { vocabularySize }) => sum + vocabularySize, 0);
  const progress = new Progress(ids, wantsProgress);
  const reports: ViewReport[] = [];
  try {
    for (const tokenizer of tokenizers) reports.push(await verifyView(tokenizer, progress));
  } finally {
    progress.end();
    for (const tokenizer of tokenizers) tokenizer.close();
  }
  const ok = verify && cartridge.refusal === undefined && reports.every(({ failures }) => failures === 0);
  return { ...cartridge, ok, reports };
}

function emptyReport(name: string): ViewReport {
  return {
    name,
    tokens: 0,
    holes: 0,
    encodeToThemselves: 0,
    cut: [],
    cutInsideCharacters: 0,
    changedByNormalizer: 0,
    addedTokens: 0,
    samples: null,
    failures: 0,
    messages: [],
  };
}

/** For DNA: letters and tails subject to policies need not encode to the token that contains them. */
function verifyDna(file: string, verify: boolean): ViewReport {
  using model = openModel(resolve(file), { verify });
  const { dna } = model;
  const names = model.engine.names as EngineTokenizer;
  const view = emptyReport(dna.name);
  const special = new Set(dna.specialTokens.values());
  view.addedTokens = special.size;
  for (let id = 0; id < dna.vocabularySize; id++) {
    if (special.has(id)) continue;
    const bytes = names.tokenBytes(id);
    if (!bytes?.length) {
      view.holes++;
      continue;
    }
    view.tokens++;
    const decoded = names.decodeBytes(Uint32Array.of(id), false);
    if (!isSame(decoded, bytes)) fail(view, `token ${id}, ${quoted(bytes)}, decodes to ${quoted(decoded)}`);
    if (idsOf(dna, bytes)?.join() === `${id}`) view.encodeToThemselves++;
  }
  return view;
}

async function verifyView(tokenizer: Tokenizer, progress: Progress): Promise<ViewReport> {
  const { name, vocabularySize } = tokenizer;
  const engine = engineOf(tokenizer);
  const view = emptyReport(name);
  const added = new Set(engine.describe().addedTokens.map(({ id }) => id));
  for (let id = 0; id < vocabularySize; id++) {
    if (!added.has(id)) verifyToken(id, tokenizer, view);
    if ((id + 1) % STRIDE !== 0) continue;
    await progress.add(STRIDE);
    await nextTurn();
  }
  verifyAdded(engine, view);
  verifyReference(tokenizer, view);
  return view;
}

function fail(view: ViewReport, message: string): void {
  view.failures++;
  if (view.messages.length < MESSAGES) view.messages.push(message);
}

function verifyToken(id: number, tokenizer: Tokenizer, view: ViewReport): void {
  const engine = engineOf(tokenizer);
  const bytes = engine.tokenBytes(id);
  if (!bytes) {
    view.holes++;
    return;
  }
  view.tokens++;
  const found = engine.idOf(bytes);
  if (found !== id) fail(view, `token ${id}, ${quoted(bytes)}, is found as ${found ?? 'no token'}`);
  const ids = tokenizer.encode(bytes);
  if (ids.length === 1 && ids[0] === id) view.encodeToThemselves++;
  else if (!isSame(tokenizer.decodeBytes(ids), bytes)) {
    if (engine.describe().normalizer !== '' && isSame(tokenizer.encode(tokenizer.decodeBytes(ids)), ids)) view.changedByNormalizer++;
    else fail(view, `token ${id}, ${quoted(bytes)}, encodes to ${ids.join(' ')}, which decode to other bytes`);
  } else if (textOf(bytes) === undefined) view.cutInsideCharacters++;
  else view.cut.push(id);
}

function verifyAdded(engine: EngineTokenizer, view: ViewReport): void {
  for (const { text, id } of engine.describe().addedTokens) {
    view.addedTokens++;
    const ids = engine.encode(text, 1);
    if (ids.length !== 1 || ids[0] !== id) fail(view, `the added token ${id}, ${text}, is found as ${ids.join(' ')}`);
    if (!engine.tokenBytes(id)) fail(view, `the added token ${id}, ${text}, decodes to nothing`);
  }
}

function verifyReference(tokenizer: Tokenizer, view: ViewReport): void {
  const reference = REFERENCE.encodings[tokenizer.name];
  if (!reference) return;
  if (view.cut.join() !== reference.cut.join()) {
    const [ours, theirs] = [view.cut, reference.cut].map((ids) => ids.join(' ') || '(none)');
    fail(view, `the pretokenizer splits the tokens ${ours}, the one of ${REFERENCE.name} ${theirs}`);
  }
  view.samples = 0;
  for (const [index, text] of SAMPLE_TEXTS.entries()) {
    const ids = tokenizer.encode(text);
    if (digestOf(ids) === reference.samples.slice(8 * index, 8 * index + 8)) view.samples++;
    else {
      const beginning = JSON.stringify(text.slice(0, 40));
      fail(view, `sample text ${index}, ${beginning}, has other ids than ${REFERENCE.name} gives`);
    }
  }
}

/** The digest of test/golden/samples.mjs: the first 8 digits of the sha256 of the ids as little-endian u32. */
function digestOf(ids: Uint32Array): string {
  const bytes = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8);
}

function isSame(a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean {
  return a.length === b.length && a.every((each: number, index: number) => each === b[index]);
}

function forPeople({ file, bytes, checksum, refusal, reports, ok }: CartridgeReport): string {
  const structure = refusal === undefined ? 'structure sound' : `refused: ${refusal.message}, in ${refusal.section}`;
  const lines = [`${verdict(ok)} ${file}: ${inThousands(bytes)} bytes, checksum ${checksum}, ${structure}`];
  for (const view of reports) lines.push(...viewLines(view));
  return `${lines.join('\n')}\n`;
}

function verdict(ok: boolean): string {
  return ok ? 'ok     ' : 'FAILED ';
}

function viewLines(view: ViewReport): string[] {
  const { name, tokens, holes, encodeToThemselves, cut, cutInsideCharacters, changedByNormalizer, addedTokens, samples, failures } = view;
  const reference = samples === null ? undefined : REFERENCE.name;
  const lines = [
    `${verdict(failures === 0)}   ${name}: ${inThousands(tokens)} tokens, ${inThousands(addedTokens)} added`,
    `${inThousands(encodeToThemselves)} encode to themselves`,
  ];
  if (holes > 0) lines.push(`${inThousands(holes)} ids have no token`);
  const parts = inThousands(cutInsideCharacters);
  if (cutInsideCharacters > 0) lines.push(`${parts} begin or end within a character and are split`);
  if (changedByNormalizer > 0) lines.push(`${inThousands(changedByNormalizer)} are changed by the normalizer`);
  if (cut.length > 0) lines.push(`${inThousands(cut.length)} are split by the pretokenizer: ${listed(cut)}`);
  if (reference) lines.push(`${samples} of ${SAMPLE_TEXTS.length} sample texts have the ids of ${reference}`);
  else lines.push('the package has no reference ids for it');
  lines.push(...view.messages);
  if (failures > view.messages.length) lines.push(`and ${inThousands(failures - view.messages.length)} more failures`);
  return lines.map((line, index) => (index === 0 ? line : `            ${line}`));
}

function listed(ids: number[]): string {
  return ids.slice(0, LISTED).join(', ') + (ids.length > LISTED ? ' …' : '');
}
