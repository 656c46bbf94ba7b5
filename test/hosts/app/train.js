import { Tokenizer, trainBpe } from 'crayon-tokenizer';

async function train() {
  const trained = await trainBpe('low lower lowest', { vocabularySize: 258 });
  const tokenizer = await Tokenizer.load(await trained.toCartridge());
  return { ids: [...tokenizer.encode('low')] };
}

globalThis.outcome = train();
