/** Size of the package and of a cartridge, from a dry run of `npm pack` over the existing build: nothing is built for it. */
import { spawnSync } from 'node:child_process';
import { stagePackage } from '../../../scripts/pack.mjs';

export async function packageSize({ rows, say }) {
  say('package: npm pack --dry-run');
  const row = { section: 'package', encoding: '', text: '', contender: 'crayon', unit: 'MB' };
  try {
    const args = ['pack', stagePackage(), '--dry-run', '--json'];
    const { stdout } = spawnSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [{ size, unpackedSize, files }] = JSON.parse(stdout);
    const cartridges = files.filter(({ path }) => path.endsWith('.cray')).length;
    const addons = files.filter(({ path }) => path.endsWith('.node')).length;
    const note = `${cartridges} cartridges, ${addons} addons`;
    rows.add({ ...row, operation: 'packed', samples: [size / 1e6], note });
    rows.add({ ...row, operation: 'unpacked', samples: [unpackedSize / 1e6], note });
    const cartridge = files.find(({ path }) => path === 'cartridges/o200k_base.cray');
    if (cartridge !== undefined) rows.add({ ...row, operation: 'the cartridge o200k_base', samples: [cartridge.size / 1e6] });
  } catch {
    rows.add({ ...row, operation: 'packed', samples: [], note: 'the package is not built, or npm pack gave no answer' });
  }
}
