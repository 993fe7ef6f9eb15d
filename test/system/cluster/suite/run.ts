/**
 * `npm run test:cluster [-- pattern]`: runs the scenarios (main.ts) whose names the pattern
 * matches, with processes and mounts of their own, all of which are gone when it ends, whatever
 * comes. WAYPOST_SEED repeats what the load does, as far as the faults let it.
 */
import { spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FAKETIME } from '../../../support/moved-clock.ts';
import { run } from '../../../support/network.ts';
import { SEED } from '../../../support/seed.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { ETCD } from '../../peers/etcd.ts';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** What has to be there that is not. */
function missing(): string[] {
  const isThere = (look: () => unknown): boolean => {
    try {
      look();
      return true;
    } catch {
      return false;
    }
  };
  return [
    ...(process.getuid?.() === 0 ? [] : ['root, for network namespaces']),
    ...(isThere(() => run('ip', '-V')) ? [] : ['ip (Debian: iproute2)']),
    ...(isThere(() => run('unshare', '--version')) ? [] : ['unshare (Debian: util-linux)']),
    ...(isThere(() => accessSync(ETCD)) ? [] : ['etcd (Debian: etcd-server)']),
    ...(isThere(() => accessSync(FAKETIME)) ? [] : ['faketime (Debian: faketime)']),
  ];
}

const lacks = missing();
if (lacks.length > 0) {
  console.error(`The cluster's scenarios need ${lacks.join(', ')}.`);
  process.exit(1);
}
const folder = temporaryFolder('scenarios');
const alone = ['--mount', '--mount-proc', '--pid', '--fork', '--kill-child'];
const child = spawn('unshare', [...alone, process.execPath, MAIN, folder, ...process.argv.slice(2)], {
  ...{ stdio: 'inherit', env: { ...process.env, WAYPOST_SEED: String(SEED) } },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGKILL'));
child.on('exit', (code) => process.exit(code ?? 130));
