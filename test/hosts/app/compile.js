import { compileCartridge, Tokenizer } from 'crayon-tokenizer';

// More tokens than are compiled synchronously.
async function compile() {
  const tokens = Array.from({ length: 20_000 }, (_, id) => `word${id}`);
  const tokenizer = await Tokenizer.load(await compileCartridge(tokens));
  return { ids: [...tokenizer.encode('word7word19999')] };
}

globalThis.outcome = compile();
