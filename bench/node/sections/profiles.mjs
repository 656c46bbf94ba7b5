/**
 * The longest-match profiles: a repeated sentence compared with CRAYON's published figure for one, and real texts, about
 * which a repeated sentence says nothing. Ids are compared with the naive reference first.
 */
import { PROFILES } from '../../../test/golden/longest-match.mjs';
import { referenceOf } from '../../texts/references.mjs';
import { textNamed } from '../../texts/texts.mjs';
import { withContender } from '../contender-process.mjs';
import { isOwn } from '../contenders/contenders.mjs';
import { PUBLISHED_SPEED } from '../published.mjs';
import { mbps } from '../timing.mjs';

const REAL = ['english', 'code', 'chinese-japanese', 'languages'];

export async function profiles({ contenders, options, rows, say }) {
  for (const encoding of PROFILES) {
    const published = PUBLISHED_SPEED[encoding];
    const repeated = Object.keys(published).map((domain) => `repeated-${domain}`);
    for (const spec of contenders.filter(isOwn)) {
      await withContender(spec, encoding, async (contender) => {
        for (const text of [...repeated, ...REAL]) {
          say(`profiles: ${encoding}, ${text}, ${spec}`);
          await measure(contender, { spec, encoding, text, options, rows });
        }
      });
    }
    for (const [domain, value] of Object.entries(published)) {
      const row = { section: 'profiles', encoding, text: `repeated-${domain}`, operation: 'encode' };
      rows.add({ ...row, contender: 'published', unit: 'Mtok/s', samples: [value] });
    }
  }
}

async function measure(contender, { spec, encoding, text, options, rows }) {
  const { bytes } = textNamed(text);
  const { tokens, sha256 } = await contender.ask('identify', { text });
  const isExact = sha256 === referenceOf(encoding, text).sha256;
  const medians = [];
  for (let round = 0; round < options.rounds; round++) {
    const turn = { operation: 'encode', text, budget: options.turn, least: 1 };
    medians.push((await contender.ask('turn', turn)).median);
  }
  const row = { section: 'profiles', encoding, text, operation: 'encode', contender: spec };
  const noted = { ...row, ...(!isExact && { note: 'not exact' }) };
  rows.add({ ...noted, unit: 'Mtok/s', samples: medians.map((time) => (tokens * 1000) / time) });
  rows.add({ ...noted, unit: 'MB/s', samples: medians.map((time) => mbps(bytes, time)) });
}
