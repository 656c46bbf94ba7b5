/** The command line of the harness. */
import { parseArgs } from 'node:util';

import { ADVERSARIAL_TEXTS, COMPARED_TEXTS, REAL_TEXTS } from '../texts/texts.mjs';
import { DEFAULT_CONTENDERS } from './contenders/contenders.mjs';

export const SECTIONS = [
  'exactness',
  'stream',
  'warm',
  'first-sight',
  'adversarial',
  'calls',
  'operations',
  'drop-ins',
  'load',
  'memory',
  'heap',
  'profiles',
  'cartridges',
  'package',
];

const usage = `usage: npm run bench -- [options]

  --quick                 a few minutes: fewer texts, one encoding, short turns; not saved
  --only SECTION,…        ${SECTIONS.join(' ')}
  --encodings NAME,…      default o200k_base,cl100k_base
  --contenders NAME,…     default ${DEFAULT_CONTENDERS.join(',')}; crayon@FOLDER is another checkout, built
  --texts NAME,…          ${REAL_TEXTS.join(' ')}
  --rounds N              rounds of interleaved turns (default 5)
  --turn MS               length of a turn (default 200)
  --limit S               seconds after which an adversarial text is given up (default 5)
  --save, --no-save       write bench/results/node.{json,md}; default: yes, unless --quick or --only
  --out FILE              write the JSON there instead (and the markdown beside it)
  --wait S                wait up to S seconds for the machine to be quiet
`;

/** Thrown for an invalid command line. */
export class UsageError extends Error {}

export function optionsOf(argv) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      allowNegative: true,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        encodings: { type: 'string' },
        contenders: { type: 'string' },
        texts: { type: 'string' },
        rounds: { type: 'string' },
        turn: { type: 'string' },
        limit: { type: 'string' },
        save: { type: 'boolean' },
        out: { type: 'string' },
        wait: { type: 'string', default: '0' },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(`${error.message}\n\n${usage}`);
  }
  if (values.help) return { help: usage };
  const { quick } = values;
  return {
    quick,
    sections: listed(values.only, SECTIONS, SECTIONS, '--only'),
    encodings: values.encodings?.split(',') ?? (quick ? ['o200k_base'] : ['o200k_base', 'cl100k_base']),
    contenders: values.contenders?.split(',') ?? DEFAULT_CONTENDERS,
    contendersNamed: values.contenders !== undefined,
    texts: listed(values.texts, quick ? COMPARED_TEXTS.slice(0, 5) : COMPARED_TEXTS, REAL_TEXTS, '--texts'),
    adversarial: ADVERSARIAL_TEXTS,
    rounds: number(values.rounds, quick ? 3 : 5, '--rounds'),
    turn: number(values.turn, quick ? 60 : 200, '--turn') * 1e6,
    limit: number(values.limit, quick ? 2 : 5, '--limit'),
    repeats: quick ? 1 : 3,
    loads: quick ? 3 : 7,
    save: values.save ?? (values.out !== undefined || !(quick || values.only)),
    out: values.out,
    wait: number(values.wait, 0, '--wait'),
  };
}

function listed(value, byDefault, known, option) {
  const names = value?.split(',') ?? byDefault;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`${option}: expected ${known.join(', ')}, not ${unknown}`);
  return names;
}

function number(value, byDefault, option) {
  if (value === undefined) return byDefault;
  const parsed = Number(value);
  if (!Number.isFinite(parsed) || parsed < 0) throw new UsageError(`${option}: expected a number, not ${value}`);
  return parsed;
}
