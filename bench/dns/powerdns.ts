/**
 * PowerDNS, which signs each answer when it is first asked for: the live signer among the peers. It
 * has one thread for queries, and its caches as they are by default.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Server } from './servers.ts';
import type { ZoneSet } from './zones.ts';

/** Debian keeps it in /usr/sbin, which is not on every PATH. */
const PROGRAM = existsSync('/usr/sbin/pdns_server') ? '/usr/sbin/pdns_server' : 'pdns_server';
/** Zones of one call of pdnsutil. */
const CALL = 100;

export class PowerDns implements Server {
  readonly name = 'PowerDNS';
  readonly port = 5949;
  readonly tlsPort = null;
  readonly answers = true;

  version(): string | null {
    // It exits with 99 after it has written its version to the standard error.
    const { stderr, error } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
    return error === undefined ? (/PowerDNS Authoritative Server [\d.]+/.exec(stderr)?.[0] ?? null) : null;
  }

  /** The database is made once and kept. */
  async prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command> {
    const folder = join(work, `powerdns-${set.id}`);
    const args = [`--config-dir=${folder}`];
    const stamp = join(folder, 'complete');
    const expected = `${set.zoneText(0)}${set.zones}`;
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return { command: PROGRAM, args };
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pdns.conf'), settings(folder, this.port));
    const run = (...command: string[]): void => {
      execFileSync('pdnsutil', [...args, ...command], { stdio: 'ignore' });
    };
    const zones = Array.from({ length: set.zones }, (_, i) => set.zoneName(i));
    for (const zone of zones) run('load-zone', zone, join(zoneFolder, `${zone}.zone`));
    if (set.signed === true) {
      for (let i = 0; i < zones.length; i += CALL) run('secure-zone', ...zones.slice(i, i + CALL));
      for (const zone of zones) run('set-nsec3', zone, '1 0 0 -');
      run('rectify-all-zones', 'quiet');
    }
    writeFileSync(stamp, expected);
    return { command: PROGRAM, args };
  }
}

const settings = (folder: string, port: number): string => `launch=lmdb
load-modules=liblmdbbackend.so
lmdb-filename=${join(folder, 'zones.lmdb')}
lmdb-sync-mode=nosync
local-address=127.0.0.1
local-port=${port}
receiver-threads=1
distributor-threads=1
loglevel=3
disable-syslog=yes
daemon=no
guardian=no
socket-dir=${folder}
`;
