import { Tokenizer } from 'crayon-tokenizer';
import { answersOf } from './answers.js';

answersOf(Tokenizer).then(
  (outcome) => postMessage({ outcome }),
  (error) => postMessage({ error: String(error) }),
);
