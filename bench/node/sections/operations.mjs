/**
 * Calls for texts and token budgets (operations.mjs), warm. The contenders take turns, in rounds; a call compared with
 * another call of the same contender takes turns with it, and the ratio is formed within a round.
 */
import { referenceOf } from '../../texts/references.mjs';
import { textNamed } from '../../texts/texts.mjs';
import { ContenderProcess } from '../contender-process.mjs';
import { operations as all } from '../operations.mjs';
import { mbps } from '../timing.mjs';

export async function operations({ contenders, encodings, options, rows, say }) {
  const [encoding] = encodings;
  const processes = contenders.map((spec) => new ContenderProcess(spec));
  try {
    for (const contender of processes) await contender.ask('load', { spec: contender.spec, encoding });
    for (const operation of all) {
      say(`operations: ${operation.name}, ${encoding}`);
      await measure(processes, encoding, operation, options, rows);
    }
  } finally {
    await Promise.all(processes.map((contender) => contender.end()));
  }
}

async function measure(processes, encoding, { name, text, needs, unit, over }, options, rows) {
  const able = [];
  for (const contender of processes) {
    if (!(await contender.ask('can', { operation: needs }))) continue;
    const expected = text === '' ? null : referenceOf(encoding, text);
    const right = await contender.ask('begin', { name, expected });
    able.push({ contender, right, times: [], ratios: [] });
    await contender.ask('operation', { side: 'run', budget: options.turn / 2 });
  }
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < able.length; turn++) {
      const { contender, times, ratios } = able[(turn + round) % able.length];
      const sides = over === undefined ? ['run'] : round % 2 === 0 ? ['run', 'against'] : ['against', 'run'];
      const time = {};
      for (const side of sides) time[side] = await contender.ask('operation', { side, budget: options.turn / 2 });
      times.push(time.run);
      if (over !== undefined) ratios.push(time.run / time.against);
    }
  }
  for (const { contender, right, times, ratios } of able) {
    await contender.ask('finish');
    const row = {
      section: 'operations',
      encoding,
      text,
      contender: contender.spec,
      ...(!right && { note: 'not exact' }),
    };
    rows.add({ ...row, operation: name, unit, samples: times.map((time) => inUnit(time, unit, text)) });
    if (over !== undefined) rows.add({ ...row, operation: `${name}, over ${over}`, unit: '×', samples: ratios });
  }
}

function inUnit(nanoseconds, unit, text) {
  if (unit === 'MB/s') return mbps(textNamed(text).bytes, nanoseconds);
  return nanoseconds / (unit === 'ms' ? 1e6 : 1e3);
}
