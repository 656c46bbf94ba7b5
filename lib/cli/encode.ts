// `crayon encode`: the ids of each input, one line each, or its tokens. Memory does not grow with the inputs.

import { Tokenizer } from '../index.js';
import { report } from './report-failures.js';
import { write } from './output/terminal.js';
import { nameOf } from './input/file-arguments.js';
import { specialPolicy, type TextOptions, tokensOf } from './input-tokens.js';
import { jsonTokens, TokenView, type View, wantsColour } from './output/token-view.js';

/** Ids to write at a time. */
const RENDERED = 256 * 1024;

interface EncodeCommandOptions extends TextOptions {
  /** Show the tokens instead of their ids; JSON has only one view. */
  show: View | undefined;
  /** Whether to use colours; undefined: if the terminal supports them. */
  colour: boolean | undefined;
}

/** The output for one input: its start, its next ids, and its end. */
interface Form {
  start: string;
  render(ids: Uint32Array): string;
  /** `error`: why the input ended early. */
  end(error: string | undefined): string;
}

/** Whether all inputs succeeded. */
export async function encode(inputs: string[], options: EncodeCommandOptions): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source);
  const policy = specialPolicy(tokenizer, options);
  let failed = false;
  if (options.json) await write(`{"encoding":${JSON.stringify(tokenizer.name)},"files":[`);
  for (const [index, file] of inputs.entries()) {
    const form = formOf(options, tokenizer, file, index, inputs.length);
    let error: string | undefined;
    if (form.start !== '') await write(form.start);
    try {
      for await (const { ids } of tokensOf(tokenizer, policy, file, options, false)) {
        for (let at = 0; at < ids.length; at += RENDERED) await write(form.render(ids.subarray(at, at + RENDERED)));
      }
    } catch (thrown) {
      failed = true;
      error = report(file, thrown);
    }
    await write(form.end(error));
  }
  if (options.json) await write(']}\n');
  return !failed;
}

function formOf(options: EncodeCommandOptions, tokenizer: Tokenizer, file: string, index: number, count: number): Form {
  if (options.json) return jsonForm(file, index, options.show && jsonTokens(tokenizer));
  if (options.show !== undefined) {
    const view = new TokenView(tokenizer, options.show, wantsColour(options.colour));
    const start = count > 1 ? `${index > 0 ? '\n' : ''}==> ${nameOf(file)} <==\n` : '';
    return { start, render: (ids) => view.render(ids), end: () => view.end() };
  }
  let before = '';
  const render = (ids: Uint32Array) => {
    const text = before + ids.join(' ');
    before = ' ';
    return text;
  };
  return { start: '', render, end: (error) => (error === undefined || before !== '' ? '\n' : '') };
}

/** `tokens`: undefined to show only ids. */
function jsonForm(file: string, index: number, tokens: ReturnType<typeof jsonTokens> | undefined): Form {
  let before = '';
  return {
    start: `${index > 0 ? ',' : ''}{"file":${JSON.stringify(file)},"${tokens ? 'tokens' : 'ids'}":[`,
    render: (ids) => {
      const text = before + (tokens ? tokens(ids) : ids.join(','));
      before = ',';
      return text;
    },
    end: (error) => (error === undefined ? ']}' : `],"error":${JSON.stringify(error)}}`),
  };
}
