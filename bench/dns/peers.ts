/**
 * The peers, each with one thread for queries and nothing switched on that costs a query anything: no rate limit, no statistics, no logging of
 * queries, smallest answers. While loading they may use every core.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { tlsFiles } from './certificate.ts';
import { type Command, firstLine, type Server } from './servers.ts';
import type { ZoneSet } from './zones.ts';

/** An empty folder for a server's own files. */
function emptyFolder(work: string, name: string): string {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Debian keeps both in /usr/sbin, which is not on every PATH. */
function find(name: string): string {
  return existsSync(`/usr/sbin/${name}`) ? `/usr/sbin/${name}` : name;
}

export class Knot implements Server {
  readonly name = 'Knot';
  readonly port = 5941;
  /** Knot 3.2 has none; 3.4 would. */
  readonly tlsPort = null;
  readonly answers = true;

  version(): string | null {
    return firstLine(find('knotd'), ['--version']);
  }

  async prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command> {
    const folder = emptyFolder(work, 'knot');
    let text = `server:
  rundir: "${folder}"
  listen: 127.0.0.1@${this.port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: ${availableParallelism()}
log:
  - target: stderr
    any: warning
database:
  storage: "${folder}"
template:
  - id: default
    storage: "${zoneFolder}"
    file: "%s.zone"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    semantic-checks: off
zone:
`;
    for (let i = 0; i < set.zones; i++) text += `  - domain: ${set.zoneName(i)}\n`;
    const config = join(folder, 'knot.conf');
    writeFileSync(config, text);
    return { command: find('knotd'), args: ['-c', config] };
  }
}

export class Nsd implements Server {
  readonly name = 'NSD';
  readonly port = 5942;
  readonly tlsPort = 5952;
  readonly answers = true;

  version(): string | null {
    return firstLine(find('nsd'), ['-v']);
  }

  async prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command> {
    const folder = emptyFolder(work, 'nsd');
    const { certificate, key } = tlsFiles(work);
    let text = `server:
  ip-address: 127.0.0.1@${this.port}
  ip-address: 127.0.0.1@${this.tlsPort}
  tls-port: ${this.tlsPort}
  tls-service-key: "${key}"
  tls-service-pem: "${certificate}"
  server-count: 1
  username: ""
  zonesdir: "${zoneFolder}"
  database: ""
  zonefiles-write: 0
  pidfile: "${folder}/nsd.pid"
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  xfrdir: "${folder}"
  minimal-responses: yes
  rrl-ratelimit: 0
  verbosity: 0
remote-control:
  control-enable: no
`;
    for (let i = 0; i < set.zones; i++)
      text += `zone:\n  name: ${set.zoneName(i)}\n  zonefile: ${set.zoneName(i)}.zone\n`;
    const config = join(folder, 'nsd.conf');
    writeFileSync(config, text);
    return { command: find('nsd'), args: ['-d', '-c', config] };
  }
}
