/** Size of the packed package and of a cartridge, by a dry run of `npm pack`, which builds nothing. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export async function packageSize({ rows, say }) {
  say('package: npm pack --dry-run');
  const result = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const row = { section: 'package', encoding: '', text: '', contender: 'crayon', unit: 'MB' };
  try {
    const [{ size, unpackedSize, files }] = JSON.parse(result.stdout);
    const cartridges = files.filter(({ path }) => path.endsWith('.cray')).length;
    const addons = files.filter(({ path }) => path.endsWith('.node')).length;
    const note = `${cartridges} cartridges, ${addons} addons`;
    rows.add({ ...row, operation: 'packed', samples: [size / 1e6], note });
    rows.add({ ...row, operation: 'unpacked', samples: [unpackedSize / 1e6], note });
    const cartridge = files.find(({ path }) => path === 'cartridges/o200k_base.cray');
    if (cartridge !== undefined)
      rows.add({ ...row, operation: 'the cartridge o200k_base', samples: [cartridge.size / 1e6] });
  } catch {
    rows.add({ ...row, operation: 'packed', samples: [], note: 'npm pack gave no answer' });
  }
}
