/**
 * `npm run bench:restore -- [--quick] [--records N] [--rounds N]`: a backup of a store with that
 * many records, its restore by the command line into an empty folder, and the start of a daemon on
 * it up to its first answer. With encryption and without.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseName } from '../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../core/dns/wire/types.ts';
import { startChild } from '../test/support/child.ts';
import { environment as environmentOf, MAIN, USUAL } from '../test/support/daemon.ts';
import { UdpClient } from '../test/support/dns-client.ts';
import { fillStore } from '../test/support/large-store.ts';
import { decodeMessage, encodeQuery } from '../test/support/message.ts';
import { freePort } from '../test/support/ports.ts';
import { removeFolder, temporaryFolder } from '../test/support/temp.ts';
import { COMMON, readOptions } from './options.ts';

const options = readOptions({
  command: 'npm run bench:restore --',
  about: 'Backup and restore of a large store, up to the first answer of a daemon.',
  options: {
    quick: COMMON.quick,
    rounds: COMMON.rounds,
    records: { kind: 'number', help: 'records of the store' },
  },
});
const RECORDS = options.records ?? (options.quick ? 10_000 : 1_000_000);
const ROUNDS = options.rounds ?? (options.quick ? 1 : 3);
const PER_ZONE = 1000;
/** Seconds: what a restore may take. */
const BOUND = 30;
const READY_MS = 300_000;

const folder = temporaryFolder('bench-restore');
const seconds = (started: number): number => Math.round((performance.now() - started) / 10) / 100;

function waypost(env: NodeJS.ProcessEnv, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`waypost ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}

async function firstAnswer(env: NodeJS.ProcessEnv, port: number): Promise<void> {
  const child = startChild(process.execPath, [MAIN, 'serve'], env);
  try {
    await child.waitFor(/^waypost ready/m, READY_MS);
    const client = await UdpClient.connect(port);
    const name = `host-7.zone-${Math.floor((RECORDS - 1) / PER_ZONE)}.example.`;
    const response = await client.query(encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, 1));
    await client.close();
    if (response === null || decodeMessage(response).answer.length !== 1) throw new Error(`no answer for ${name}`);
  } finally {
    await child.stop();
  }
}

try {
  const source = join(folder, 'source');
  process.stdout.write(`filling a store with ${RECORDS} records\n`);
  await fillStore(source, Math.ceil(RECORDS / PER_ZONE), PER_ZONE);
  const megabytes = Math.round(statSync(join(source, 'waypost.mdb')).size / 1e6);
  process.stdout.write(`${megabytes} MB\n\nencryption  backup s  restore s  to the first answer s\n`);
  for (const encryption of ['none', 'key'])
    for (let round = 0; round < ROUNDS; round++) {
      const [port, admin] = [await freePort(), await freePort()];
      const common = {
        ...USUAL,
        WAYPOST_BACKUP_FOLDER: join(folder, 'backups'),
        WAYPOST_BACKUP_ENCRYPTION: encryption,
        WAYPOST_SECRETS_KEY_FILE: join(folder, 'secret.key'),
        WAYPOST_DNS_LISTEN: `127.0.0.1:${port}`,
        WAYPOST_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      };
      let started = performance.now();
      waypost(environmentOf({ ...common, WAYPOST_DATA_DIR: source }), 'backup', 'now');
      const backup = seconds(started);
      const env = environmentOf({ ...common, WAYPOST_DATA_DIR: join(folder, 'target') });
      started = performance.now();
      waypost(env, 'backup', 'restore');
      const restore = seconds(started);
      // The daemon of a backup has backups of its own in mind: here it is to serve alone.
      await firstAnswer({ ...env, WAYPOST_BACKUP_FOLDER: '' }, port);
      const total = seconds(started);
      process.stdout.write(
        `${encryption.padEnd(10)}  ${backup.toFixed(2).padStart(8)}  ${restore.toFixed(2).padStart(9)}  ${total.toFixed(2).padStart(21)}  ${total <= BOUND ? 'within' : 'OVER'} ${BOUND} s\n`,
      );
      for (const name of ['target', 'backups']) rmSync(join(folder, name), { recursive: true });
    }
} finally {
  removeFolder(folder);
}
