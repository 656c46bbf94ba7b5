// The C functions of an instance, as lib/engine/functions.ts has them. Arguments are written to one arena in the instance's memory, in
// which a call also leaves what it writes.
//
// A signature (signatures.ts) has a token for each parameter of the C function:
//
//   n               a number or a handle
//   b w d u t       an array to read: bytes, words, doubles, a string as UTF-16 or as UTF-8; with ? it may be absent
//   B W             an array of bytes or words to write
//   U2-1            the units of the string that the call returns, as many as argument 2 less argument 1
//   #1 #1-1 #1/2    the number of elements of argument 1, less 1, divided by 2
//   o g             where the function puts a handle, or the address of bytes of its own
//   =               the crayon_result
//   :               the function has none, and returns the number itself

import type { Failure } from '../base/errors.js';
import type { Binding } from '../engine/binding.js';
import type { EngineFunctions } from '../engine/functions.js';
import { ARENA_BYTES, WINDOW, type WasmCore } from './core.js';
import { SIGNATURES } from './signatures.js';

type Words = Uint8Array | Uint32Array | Float64Array;
type Argument = number | string | Words | undefined;
type Exports = Record<string, (...numbers: number[]) => number>;

/** Units made into a string at once: more arguments may not fit on the stack. */
const MOST_UNITS = 8192;
const ALIGNMENT = 8;

class Functions {
  readonly window = WINDOW;
  readonly #core: WasmCore;

  static {
    for (const [name, signature] of Object.entries(SIGNATURES)) {
      const inC = `crayon_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      const tokens = signature.split(' ');
      const call = function (this: Functions, ...given: Argument[]) {
        return this.#call(inC, tokens, given);
      };
      Object.defineProperty(Functions.prototype, name, { value: call });
    }
  }

  constructor(core: WasmCore) {
    this.#core = core;
  }

  failure(): Failure {
    return this.#core.failure();
  }

  resultMore(): number {
    return Number(this.#core.more);
  }

  resultCount(): number {
    return this.#core.count;
  }

  #call(name: string, tokens: readonly string[], given: Argument[]): unknown {
    const core = this.#core;
    core.checkAlive();
    if (tokens.includes('t')) encodeTexts(given);
    const returned = tokens.find((token) => token.startsWith('U'));
    const units = returned === undefined ? 0 : numberOf(returned, given);
    const size = given.reduce((sum: number, argument) => sum + roomFor(argument), 2 * units);
    try {
      const arena = size <= ARENA_BYTES ? core.arena : core.allocate(size);
      try {
        return this.#callWith(arena, name, tokens, given, units);
      } finally {
        if (arena !== core.arena) core.engine.free(arena);
      }
    } catch (error) {
      throw core.caught(error);
    }
  }

  #callWith(arena: number, name: string, tokens: readonly string[], given: Argument[], units: number): unknown {
    const core = this.#core;
    const numbers: number[] = [];
    const written: [array: Words, at: number][] = [];
    let next = 0;
    let at = arena;
    for (const token of tokens) {
      switch (token[0]) {
        case '#':
          numbers.push(numberOf(token, given));
          break;
        case 'o':
        case 'g':
          numbers.push(core.out);
          break;
        case '=':
          numbers.push(core.result);
          break;
        case 'U':
          numbers.push(at); // the last in the arena
          break;
        case ':':
          break;
        default: {
          const argument = given[next++];
          if (typeof argument === 'number') {
            numbers.push(argument);
            break;
          }
          numbers.push(argument === undefined ? 0 : at);
          if (token === 'B' || token === 'W') written.push([argument as Words, at]);
          else if (argument !== undefined) put(core, argument, at);
          at += roomFor(argument);
        }
      }
    }
    const answer = (core.engine as unknown as Exports)[name]?.(...numbers) as number;
    if (tokens.at(-1) === ':') return answer >>> 0;
    for (const [array, from] of written) bytesOf(array).set(core.bytes.subarray(from, from + array.byteLength));
    const isDone = answer === 0;
    if (units > 0) return isDone ? stringAt(core, at, units) : undefined;
    if (tokens.includes('g')) return isDone ? core.bytes.slice(core.outWord(0), core.outWord(0) + core.count) : undefined;
    if (!isDone) return -1;
    return tokens.includes('o') ? core.outWord(0) : core.count;
  }
}

/** The C functions of an instance: those that its module has. */
export function wasmBinding(core: WasmCore): Binding {
  return new Functions(core) as Functions & EngineFunctions;
}

/** Replaces strings that C wants as UTF-8 by their bytes: no function has both kinds of strings. */
function encodeTexts(given: Argument[]): void {
  for (const [i, argument] of given.entries()) if (typeof argument === 'string') given[i] = new TextEncoder().encode(argument);
}

function roomFor(argument: Argument): number {
  if (argument === undefined || typeof argument === 'number') return 0;
  const bytes = typeof argument === 'string' ? 2 * argument.length : argument.byteLength;
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** Of `#1/2` the length of argument 1 divided by 2, of `U2-1` argument 2 less argument 1. */
function numberOf(token: string, given: Argument[]): number {
  const [, first = '', operation, second = ''] = /^.(\d)(?:([-/])(\d))?$/.exec(token) ?? [];
  const argument = given[Number(first)];
  if (token.startsWith('U')) return (argument as number) - (given[Number(second)] as number);
  const { length } = argument as string | Words;
  return operation === '-' ? length - Number(second) : Math.floor(length / Number(second || 1));
}

function put(core: WasmCore, argument: string | Words, at: number): void {
  if (typeof argument !== 'string') core.bytes.set(bytesOf(argument), at);
  else core.putUnits(argument, at);
}

function bytesOf({ buffer, byteOffset, byteLength }: Words): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function stringAt(core: WasmCore, address: number, units: number): string {
  const begin = address >>> 1;
  let text = '';
  for (let at = 0; at < units; at += MOST_UNITS) {
    text += String.fromCharCode(...core.units.subarray(begin + at, begin + Math.min(at + MOST_UNITS, units)));
  }
  return text;
}
