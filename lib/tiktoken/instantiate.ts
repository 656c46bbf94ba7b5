// The `init` of npm tiktoken, which does nothing here.

/**
 * Does nothing: everything works without it.
 *
 * @example
 * ```ts
 * import { get_encoding, init } from 'crayon-tokenizer/tiktoken/init';
 *
 * await init((imports) => imports);
 * get_encoding('gpt2').encode('hello world'); // Uint32Array [31373, 995]
 * ```
 */
export async function init(_callback: (imports: never) => unknown): Promise<void> {}
