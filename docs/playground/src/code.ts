// What the page shows, as a program: for Node, or for a page that a bundler builds.

import { isModel } from './models.js';
import { isImported, nameIn } from './remembered.js';

export interface CodeState {
  tab: 'tokens' | 'chat' | 'split' | 'dna';
  model: string;
  special: boolean;
  text: string;
  split: { maxTokens: number; overlap: number; separators: string };
  chat: { messages: { role: string; content: string }[]; template: string; addGenerationPrompt: boolean; billed: string };
  dna: { model: string; sequence: string; complement: boolean };
}

export type CodeHost = 'node' | 'page';

/** Longer texts come from a file. */
const LITERAL = 2000;
const literal = (value: unknown) => JSON.stringify(value);

export function codeOf(state: CodeState, host: CodeHost): string {
  const { imports, body, result } = PARTS[state.tab](state, host);
  const shown = host === 'node' ? `console.log(${result});` : `document.body.append(String(${result}));`;
  return `${imports.join('\n')}\n\n${body.join('\n')}\n${shown}\n`;
}

interface Parts {
  imports: string[];
  body: string[];
  result: string;
}

const IMPORT = "import { Tokenizer } from 'crayon-tokenizer';";
const READ = "import { readFile } from 'node:fs/promises';";

const PARTS: Record<CodeState['tab'], (state: CodeState, host: CodeHost) => Parts> = {
  tokens(state, host) {
    const options = state.special ? ", { special: 'allow' }" : '';
    const { imports, line } = textFrom('text', state.text, host);
    return { imports: [...imports, IMPORT], body: [opened(state, host), line], result: `tokenizer.encode(text${options}).length` };
  },
  split(state, host) {
    const { maxTokens, overlap, separators } = state.split;
    const options = [
      `maxTokens: ${maxTokens}`,
      ...(overlap > 0 ? [`overlap: ${overlap}`] : []),
      ...(separators === '' ? [] : [`separators: ${literal(separators)}`]),
      ...(state.special ? ["special: 'allow'"] : []),
    ];
    const { imports, line } = textFrom('text', state.text, host);
    const parts = `const parts = tokenizer.split(text, { ${options.join(', ')} });`;
    return { imports: [...imports, IMPORT], body: [opened(state, host), line, parts], result: 'parts.length' };
  },
  chat(state, host) {
    const { messages, template, addGenerationPrompt, billed } = state.chat;
    const lines = [opened(state, host), `const messages = ${JSON.stringify(messages, undefined, 2)};`];
    if (billed !== '') {
      const result = `tokenizer.countMessages(messages, { model: ${literal(billed)}, estimate: true })`;
      return { imports: [IMPORT], body: lines, result };
    }
    if (template !== '') lines.push(`const template = ${literal(template)};`);
    const options = [...(template === '' ? [] : ['template']), `addGenerationPrompt: ${addGenerationPrompt}`];
    return { imports: [IMPORT], body: lines, result: `await tokenizer.countChat(messages, { ${options.join(', ')} })` };
  },
  dna({ dna: { model, sequence, complement } }, host) {
    const { imports, line } = textFrom('sequence', sequence.replace(/^>.*$/gm, '').replace(/\s+/g, ''), host);
    const names = complement ? 'DnaTokenizer, reverseComplement' : 'DnaTokenizer';
    const load = `const dna = await DnaTokenizer.load(${literal(model)}, { lowerCase: 'normalize', ambiguous: 'keep' });`;
    const encoded = complement ? 'reverseComplement(sequence)' : 'sequence';
    return {
      imports: [...imports, `import { ${names} } from 'crayon-tokenizer/dna';`],
      body: [load, line],
      result: `dna.encode(${encoded}, { addSpecialTokens: false }).length`,
    };
  },
};

function opened({ model }: CodeState, host: CodeHost): string {
  if (!isImported(model) && !isModel(model)) return `const tokenizer = await Tokenizer.load(${literal(model)});`;
  const name = literal(isModel(model) ? `${model}/tokenizer.json` : nameIn(model));
  const source = host === 'node' ? name : `await (await fetch(${name})).arrayBuffer()`;
  return `const tokenizer = await Tokenizer.load(${source});`;
}

function textFrom(name: string, text: string, host: CodeHost): { imports: string[]; line: string } {
  if (text.length <= LITERAL) return { imports: [], line: `const ${name} = ${literal(text)};` };
  const file = literal(`${name}.txt`);
  if (host === 'node') return { imports: [READ], line: `const ${name} = await readFile(${file}, 'utf8');` };
  return { imports: [], line: `const ${name} = await (await fetch(${file})).text();` };
}
