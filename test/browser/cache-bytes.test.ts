// The memory that a tokenizer of a page takes for remembered pieces.

import { expect, it, onTestFinished } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

it('remembers as many pieces as the caller allows', async () => {
  const { Instance } = WebAssembly;
  onTestFinished(() => void (WebAssembly.Instance = Instance));
  const memories: WebAssembly.Memory[] = [];
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      memories.push(this.exports.memory as WebAssembly.Memory);
    }
  };
  // Words of letters alone: each is one piece.
  const word = (index: number) => ` w${index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`;
  const text = Array.from({ length: 300_000 }, (_, index) => word(index)).join('');
  /** By how much the memory grows with the words of the text, each of which is new. */
  const growth = async (cacheBytes?: number) => {
    memories.length = 0;
    using tokenizer = await Tokenizer.load('cl100k_base', cacheBytes === undefined ? {} : { cacheBytes });
    tokenizer.encode('hello world');
    const size = () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
    const before = size();
    tokenizer.count(text);
    return size() - before;
  };
  const [small, usual] = [await growth(1 << 20), await growth()];
  expect(usual).toBeGreaterThan(8 << 20);
  expect(small).toBeLessThan(usual / 2);
});
