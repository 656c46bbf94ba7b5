// `crayon encode`: the ids of each input, a line each; or a view of its tokens. Memory does not grow with the inputs.

import { Tokenizer } from '../index.js';
import { report } from './failures.js';
import { chunksOf, nameOf, write } from './streams.js';
import { begin, NOTHING, type TextOptions } from './text-session.js';
import { TokenView, type View, wantsColour } from './token-view.js';

/** Options of the command. */
export interface EncodeCommandOptions extends TextOptions {
  /** Show the tokens instead of their ids. */
  show: View | undefined;
  /** Whether to colour it; undefined: as the terminal can. */
  colour: boolean | undefined;
}

/** The form of the output for one input: what comes before its ids, for some of them, and behind. */
interface Form {
  start: string;
  render(ids: Uint32Array): string;
  /** `error`: why the input ends here. */
  end(error: string | undefined): string;
}

/** Whether all inputs went well. */
export async function encode(inputs: string[], options: EncodeCommandOptions): Promise<boolean> {
  using tokenizer = Tokenizer.loadSync(options.source);
  let failed = false;
  if (options.json) await write(`{"encoding":${JSON.stringify(tokenizer.name)},"files":[`);
  for (const [index, file] of inputs.entries()) {
    const form = formOf(options, tokenizer, file, index, inputs.length);
    const session = begin(tokenizer, options, false);
    const writeReady = async () => {
      const ids = session.take();
      if (ids.length > 0) await write(form.render(ids));
    };
    let error: string | undefined;
    if (form.start !== '') await write(form.start);
    try {
      for await (const chunk of chunksOf(file)) {
        session.feed(chunk, false);
        await writeReady();
      }
      session.feed(NOTHING, true);
      await writeReady();
    } catch (thrown) {
      failed = true;
      error = report(file, thrown);
    } finally {
      session.end();
    }
    await write(form.end(error));
  }
  if (options.json) await write(']}\n');
  return !failed;
}

function formOf(options: EncodeCommandOptions, tokenizer: Tokenizer, file: string, index: number, count: number): Form {
  if (options.show !== undefined) {
    const view = new TokenView(tokenizer, options.show, wantsColour(options.colour));
    const start = count > 1 ? `${index > 0 ? '\n' : ''}==> ${nameOf(file)} <==\n` : '';
    return { start, render: (ids) => view.render(ids), end: () => view.end() };
  }
  const separator = options.json ? ',' : ' ';
  let before = '';
  const render = (ids: Uint32Array) => {
    const text = before + ids.join(separator);
    before = separator;
    return text;
  };
  if (!options.json) return { start: '', render, end: (error) => (error === undefined || before !== '' ? '\n' : '') };
  return {
    start: `${index > 0 ? ',' : ''}{"file":${JSON.stringify(file)},"ids":[`,
    render,
    end: (error) => (error === undefined ? ']}' : `],"error":${JSON.stringify(error)}}`),
  };
}
