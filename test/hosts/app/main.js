import { Tokenizer } from 'crayon-tokenizer';
import { answersOf } from './answers.js';

globalThis.outcome = answersOf(Tokenizer);
