// `crayon encode --show`: where the tokens of a text begin and end. With colours, neighbours have different ones;
// without, a bar separates them. Special tokens stand out either way. Or, with --json, an object for each token.

import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

import { engineOf, type Tokenizer } from '../../api/tokenizer.js';
import { marked, quoted, textOrHex } from './token-text.js';

/** `text`: the text itself, with its tokens separated. `ids`: a line for each token. */
export type View = 'text' | 'ids';

type Style = Parameters<typeof styleText>[0];

/** The colours, of the sixteen that each terminal has its own shades of, on which black is easy to read. */
const COLOURS: Style[] = ['bgCyan', 'bgYellow', 'bgGreen', 'bgMagenta'];
/** Light colours, of the 256 that are the same everywhere: they stand out from a dark and a light terminal, and from each other. */
const LIGHT_COLOURS = [153, 222, 157, 218, 229, 116, 183, 216];
const BLACK = 16;
const [WHITE, RED] = [231, 124];

/** Whether to use colours: the flag decides, else NO_COLOR and FORCE_COLOR, else the terminal. */
export function wantsColour(flag: boolean | undefined): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (flag !== undefined) return flag;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return process.stdout.isTTY && process.stdout.hasColors();
}

/** Whether the terminal has 256 colours, by its environment: a pipe may lead to one. */
function hasLightColours(): boolean {
  return WriteStream.prototype.getColorDepth.call(process.stdout, process.env) >= 8;
}

function inColours(text: string, colour: number, background: number): string {
  return `\x1b[38;5;${colour}m\x1b[48;5;${background}m${text}\x1b[49m\x1b[39m`;
}

/** The tokens of one text for people, part by part. */
export class TokenView {
  readonly #tokenizer: Tokenizer;
  readonly #view: View;
  readonly #coloured: boolean;
  readonly #special: ReadonlySet<number>;
  readonly #idWidth: number;
  readonly #light: boolean;
  #tokens = 0;
  #endsLine = true;

  constructor(tokenizer: Tokenizer, view: View, coloured: boolean) {
    this.#tokenizer = tokenizer;
    this.#view = view;
    this.#coloured = coloured;
    this.#special = new Set(tokenizer.specialTokens.values());
    this.#light = coloured && hasLightColours();
    this.#idWidth = String(tokenizer.vocabularySize - 1).length;
  }

  /** The output for the next ids of the text. */
  render(ids: Uint32Array): string {
    const engine = engineOf(this.#tokenizer);
    let out = '';
    for (const id of ids) {
      const bytes = engine.tokenBytes(id) as Uint8Array;
      out += this.#view === 'ids' ? this.#line(id, bytes) : this.#token(id, bytes);
      this.#tokens++;
    }
    if (out !== '') this.#endsLine = out.endsWith('\n');
    return out;
  }

  /** The output for the end of the text. */
  end(): string {
    return this.#endsLine ? '' : '\n';
  }

  #line(id: number, bytes: Uint8Array): string {
    const number = String(id).padStart(this.#idWidth);
    if (!this.#special.has(id)) return `${this.#styled('dim', number)}  ${quoted(bytes)}\n`;
    return `${this.#styled('dim', number)}  ${this.#styled(['bold', 'red'], quoted(bytes))}  special\n`;
  }

  #token(id: number, bytes: Uint8Array): string {
    const special = this.#special.has(id);
    const text = marked(bytes);
    if (!this.#coloured) return `${this.#tokens > 0 ? '│' : ''}${special ? `⟦${text}⟧` : text}`;
    const paint = this.#paintFor(special);
    // A background that is still on at the end of a line would colour the rest of the line.
    return text
      .split('\n')
      .map((line) => (line === '' ? '' : paint(line)))
      .join('\n');
  }

  #paintFor(special: boolean): (line: string) => string {
    if (this.#light) {
      const background = LIGHT_COLOURS[this.#tokens % LIGHT_COLOURS.length] as number;
      return (line) => (special ? this.#styled('bold', inColours(line, WHITE, RED)) : inColours(line, BLACK, background));
    }
    const style: Style = special ? ['bold', 'white', 'bgRed'] : (['black', COLOURS[this.#tokens % COLOURS.length]] as Style);
    return (line) => this.#styled(style, line);
  }

  #styled(style: Style, text: string): string {
    return this.#coloured ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Writes ids as elements of a JSON array, with commas between them. */
export function jsonTokens(tokenizer: Tokenizer): (ids: Uint32Array) => string {
  const special = new Set(tokenizer.specialTokens.values());
  const engine = engineOf(tokenizer);
  return (ids) => {
    const tokens = Array.from(ids, (id) => ({
      id,
      ...textOrHex(engine.tokenBytes(id) as Uint8Array),
      ...(special.has(id) ? { special: true } : {}),
    }));
    return JSON.stringify(tokens).slice(1, -1);
  };
}
