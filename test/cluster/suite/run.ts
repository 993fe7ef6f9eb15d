/**
 * `npm run test:cluster [-- pattern]`: makes a network of machines (network.ts), runs the scenarios in it whose names the pattern matches,
 * and removes all of it, whatever comes. WAYPOST_SEED repeats what the load does, as far as the faults let it.
 */
import { spawn } from 'node:child_process';
import { accessSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ETCD } from '../../peers/etcd.ts';
import { SEED } from '../../support/seed.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { MEMBERS, Network, NODES, run } from './network.ts';
import { FAKETIME } from './scenarios.ts';

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
    ...(isThere(() => run('nsenter', '--version')) ? [] : ['nsenter (Debian: util-linux)']),
    ...(isThere(() => accessSync(ETCD)) ? [] : ['etcd (Debian: etcd-server)']),
    ...(isThere(() => accessSync(FAKETIME)) ? [] : ['faketime (Debian: faketime)']),
  ];
}

const lacks = missing();
if (lacks.length > 0) {
  console.error(`The cluster's scenarios need ${lacks.join(', ')}.`);
  process.exit(1);
}
const prefix = `wp${process.pid}`;
const folder = temporaryFolder('scenarios');
const network = new Network(prefix);

function clear(): void {
  network.remove();
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  for (const mount of mounts.map((line) => line.split(' ')[1] ?? ''))
    if (mount.startsWith(`${folder}/`)) run('umount', '--lazy', mount);
}

// Before the folder is removed, which can't be while something is mounted in it.
process.prependListener('exit', clear);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
network.make([...NODES, ...MEMBERS]);
const [command, ...args] = [...network.inside(), process.execPath, MAIN, prefix, folder, ...process.argv.slice(2)];
const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, WAYPOST_SEED: String(SEED) } });
child.on('exit', (code) => process.exit(code ?? 1));
