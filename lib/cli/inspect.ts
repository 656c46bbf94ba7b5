// `crayon inspect`: the contents of a cartridge.

import { resolve } from 'node:path';

import type { AddedToken, Description, EngineTokenizer, Section } from '../engine/engine.js';
import { compileCartridge, Tokenizer } from '../index.js';
import { isCompiledSource } from '../vocabularies/open/foreign.js';
import { engineOf } from '../api/tokenizer.js';
import { type CartridgeFile, lookAt, type Metadata, metadataOf, sectionName, withShortTemplates } from './cartridge-file.js';
import { explainCompileError } from './compile.js';
import { type DnaFactsShown, factsOf, policiesOf } from './dna/dna-info.js';
import { openModel } from './dna/model.js';
import { inLines, inThousands } from './output/fields.js';
import { sizeOf } from './input/file-arguments.js';
import { write } from './output/terminal.js';
import { quoted, textOrHex } from './output/token-text.js';

const SAMPLES = 16;
/** How many added tokens the human-readable output lists. */
const LISTED = 4;
const MUST_UNDERSTAND = 1;

interface Contents extends Metadata {
  dna?: Dna;
  views: Description[];
  sections: Section[];
  samples: { id: number; bytes: Uint8Array }[];
}

/** Whether the cartridge passes its checks. */
export async function inspect(source: string, options: { json: boolean }): Promise<boolean> {
  const { cartridge, contents } = isCompiledSource(source) ? await compiled(source) : found(source);
  await write(options.json ? `${JSON.stringify(forMachines(cartridge, contents))}\n` : forPeople(cartridge, contents));
  return contents !== undefined && contents.metadataFailure === undefined && cartridge.checksum !== 'differs';
}

interface Inspection {
  cartridge: CartridgeFile & { compiled?: number };
  contents: Contents | undefined;
}

function found(source: string): Inspection {
  const cartridge = lookAt(source);
  return { cartridge, contents: cartridge.refusal === undefined ? contentsOf(cartridge) : undefined };
}

/** For a tokenizer.json or the like: the result of compiling it, in memory. */
async function compiled(source: string): Promise<Inspection> {
  const bytes = await compileCartridge(source).catch((error) => {
    throw explainCompileError(error, source);
  });
  using tokenizer = Tokenizer.loadSync(bytes);
  const engine = engineOf(tokenizer);
  const { views } = engine.describe();
  const samples = samplesOf(engine, tokenizer.vocabularySize);
  return {
    cartridge: { file: source, bytes: sizeOf(source), compiled: bytes.length, checksum: 'matches', views, isDna: false },
    contents: { views: [engine.describe()], sections: engine.sections(), ...metadataOf(tokenizer), samples },
  };
}

type Dna = Omit<DnaFactsShown, 'name' | 'vocabularySize'> & { policies: Record<string, string> };

function contentsOf({ file, checksum, views, isDna }: CartridgeFile): Contents {
  if (isDna) return contentsOfDna(resolve(file), checksum !== 'differs');
  const descriptions = views.map((view) => {
    using tokenizer = Tokenizer.loadSync(file, { view, verify: checksum !== 'differs' });
    return engineOf(tokenizer).describe();
  });
  using tokenizer = Tokenizer.loadSync(file, { verify: checksum !== 'differs' });
  const engine = engineOf(tokenizer);
  return {
    views: descriptions,
    sections: engine.sections(),
    ...metadataOf(tokenizer),
    samples: samplesOf(engine, tokenizer.vocabularySize),
  };
}

function contentsOfDna(file: string, verify: boolean): Contents {
  using model = openModel(file, { verify });
  const names = model.engine.names as EngineTokenizer;
  const description = names.describe();
  const { name: _, vocabularySize, ...facts } = factsOf(file, { verify });
  return {
    dna: { ...facts, policies: policiesOf(model) },
    views: [description],
    sections: names.sections(),
    metadata: JSON.parse(description.metadata) as Record<string, unknown>,
    samples: samplesOf(names, vocabularySize),
  };
}

/** Tokens spread evenly over the vocabulary, including the first and the last. */
function samplesOf(engine: EngineTokenizer, vocabularySize: number): Contents['samples'] {
  const samples: Contents['samples'] = [];
  const rows = Math.min(SAMPLES, vocabularySize);
  for (let row = 0; row < rows; row++) {
    const id = rows === 1 ? 0 : Math.round((row * (vocabularySize - 1)) / (rows - 1));
    const bytes = engine.tokenBytes(id);
    if (bytes) samples.push({ id, bytes });
  }
  return samples;
}

function forMachines({ file, bytes, compiled, checksum, refusal }: Inspection['cartridge'], contents: Contents | undefined) {
  if (!contents) return { file, bytes, checksum, refusal };
  return {
    file,
    bytes,
    compiled,
    checksum,
    model: contents.views[0]?.model,
    dna: contents.dna,
    metadata: contents.metadata,
    metadataFailure: contents.metadataFailure,
    views: contents.views.map(({ name, scanner, normalizer, vocabularySize, addedTokens }) => ({
      name,
      pretokenizer: scanner,
      ...(normalizer === '' ? {} : { normalizer }),
      vocabularySize,
      addedTokens,
    })),
    sections: contents.sections.map(({ id, flags, offset, length }) => ({
      id,
      name: sectionName(id),
      mustUnderstand: (flags & MUST_UNDERSTAND) !== 0,
      offset,
      length,
      share: length / (compiled ?? bytes),
    })),
    samples: contents.samples.map(({ id, bytes }) => ({ id, ...textOrHex(bytes) })),
  };
}

function forPeople({ file, bytes, compiled, checksum, refusal }: Inspection['cartridge'], contents: Contents | undefined): string {
  const size = { size: `${inThousands(bytes)} bytes` };
  const head =
    compiled === undefined ? { file, ...size, checksum } : { file, ...size, compiled: `a cartridge of ${inThousands(compiled)} bytes` };
  if (!contents) return inLines({ ...head, refused: refusal });
  const views = contents.views.map(({ name, scanner, normalizer, vocabularySize, addedTokens }) => {
    const pretokenizer = `${scanner === 'none' ? 'no' : scanner} pretokenizer`;
    const before = normalizer === '' ? '' : `${normalizer}, `;
    return [name, `${before}${pretokenizer}, ids below ${inThousands(vocabularySize)}, ${added(addedTokens)}`];
  });
  const { metadata, metadataFailure, dna } = contents;
  const about = metadataFailure === undefined ? { metadata: withShortTemplates(metadata) } : { metadataFailure };
  return [
    inLines({ ...head, model: contents.views[0]?.model, ...(dna && { dna: inWords(dna) }), ...about, views: Object.fromEntries(views) }),
    ...(contents.sections.length > 0 ? ['sections:\n'] : []),
    ...contents.sections.map((section) => sectionLine(section, compiled ?? bytes)),
    'samples:\n',
    ...contents.samples.map(({ id, bytes }) => `${String(id).padStart(9)}  ${quoted(bytes)}\n`),
  ].join('');
}

function inWords({ unknownId, padId, ...facts }: Dna) {
  return { ...facts, unknownId: unknownId ?? 'none', padId: padId ?? 'none' };
}

function sectionLine({ id, flags, offset, length }: Section, bytes: number): string {
  const columns = [
    String(id).padStart(4),
    sectionName(id).padEnd(14),
    `at ${offset.toString(16).padStart(8, '0')}`,
    `${inThousands(length).padStart(13)} bytes`,
    `${((100 * length) / bytes).toFixed(1).padStart(5)} %`,
  ];
  return `${columns.join('  ')}${flags & MUST_UNDERSTAND ? '' : '  optional'}\n`;
}

function added(tokens: AddedToken[]): string {
  const shownAs = ({ text, id, special }: AddedToken) => `${text} ${id}${special ? '' : ' (not special)'}`;
  const shown = tokens.slice(0, LISTED).map(shownAs);
  if (tokens.length > LISTED) shown.push(`and ${inThousands(tokens.length - LISTED)} more`);
  return tokens.length === 0 ? 'no added tokens' : `added tokens: ${shown.join(', ')}`;
}
