/**
 * npm tokenizers, Hugging Face's core, in a process of its own: `fork` with the name of a row of tokenizers.mjs. Answers each
 * message, a list of texts, with their ids and masks.
 */
import { tokenizersNamed } from './tokenizers.mjs';

const [row] = tokenizersNamed([process.argv[2]]);
const tokenizer = await row.others.tokenizers();

process.on('message', async (texts) => {
  process.send(await tokenizer.encodeBatch(texts));
});
process.send('ready');
