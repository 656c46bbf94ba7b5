// The drop-in for npm tokenizers, which compiles a tokenizer.json in the page.

import { AddedToken, Tokenizer } from 'crayon-tokenizer/huggingface';
import { FILE, say } from './huggingface-calls.js';

async function run() {
  const refused = (call) => {
    try {
      return call();
    } catch (error) {
      return error.message;
    }
  };
  return {
    said: await say({ AddedToken, Tokenizer }),
    read: refused(() => Tokenizer.fromFile('tokenizer.json')),
    write: refused(() => Tokenizer.fromString(JSON.stringify(FILE)).save('tokenizer.json')),
  };
}

globalThis.outcome = run();
