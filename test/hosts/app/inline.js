import { Tokenizer } from 'crayon-tokenizer/inline/o200k_base';
import { answersOf } from './answers.js';

globalThis.outcome = answersOf(Tokenizer);
