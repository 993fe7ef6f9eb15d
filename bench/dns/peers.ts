/**
 * The peers, each with one thread for queries and nothing switched on that costs a query anything:
 * no rate limit, no statistics, no logging of queries, smallest answers. While loading they may use
 * every core.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Whether a Knot that says `version` of itself serves DNS over TLS: 3.4 was the first. */
function knotHasTls(version: string | null): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 4);
}

/** For the template of zones that are signed. */
const KNOT_SIGNING = `    dnssec-signing: on
    dnssec-policy: signed
`;
/** The policy that the template names, which must come before it. */
const KNOT_POLICY = `policy:
  - id: signed
    algorithm: ecdsap256sha256
    single-type-signing: on
    nsec3: on
    nsec3-iterations: 0
    nsec3-salt-length: 0
    rrsig-lifetime: 30d
`;

/**
 * As many threads as Knot itself takes for TCP and TLS at least. Over TLS its threads block: each
 * handshake, and the wait of up to 500 ms for a connection's first query, holds up all other
 * connections of the thread, and dnsperf, which bounds what is out over all connections, then
 * stands still with it.
 */
export const KNOT_STREAM_THREADS = 10;

export class Knot implements Server {
  readonly name = 'Knot';
  readonly port = 5941;
  readonly tlsPort: number | null;
  readonly answers = true;
  readonly #program: string;
  readonly #streamThreads: number;
  readonly #version: string | null;

  /**
   * `program`: another knotd than the one that is installed. `streamThreads`: its threads for TCP
   * and TLS.
   */
  constructor(program = find('knotd'), streamThreads = 1) {
    this.#program = program;
    this.#streamThreads = streamThreads;
    this.#version = firstLine(program, ['--version']);
    this.tlsPort = knotHasTls(this.#version) ? 5951 : null;
  }

  version(): string | null {
    return this.#version;
  }

  async prepare(set: ZoneSet, zoneFolder: string, work: string): Promise<Command> {
    const folder = emptyFolder(work, 'knot');
    const { certificate, key } = tlsFiles(work);
    const tls =
      this.tlsPort === null
        ? ''
        : `  listen-tls: 127.0.0.1@${this.tlsPort}\n  cert-file: "${certificate}"\n  key-file: "${key}"\n`;
    let text = `server:
  rundir: "${folder}"
  listen: 127.0.0.1@${this.port}
${tls}  udp-workers: 1
  tcp-workers: ${this.#streamThreads}
  background-workers: ${availableParallelism()}
log:
  - target: stderr
    any: warning
database:
  storage: "${folder}"
${set.signed === true ? KNOT_POLICY : ''}template:
  - id: default
    storage: "${zoneFolder}"
    file: "%s.zone"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    semantic-checks: off
${set.signed === true ? KNOT_SIGNING : ''}zone:
`;
    for (let i = 0; i < set.zones; i++) text += `  - domain: ${set.zoneName(i)}\n`;
    const config = join(folder, 'knot.conf');
    writeFileSync(config, text);
    return { command: this.#program, args: ['-c', config] };
  }
}

/**
 * The zones signed by Knot, as files for servers that do not sign. Made once. Returns their folder.
 */
function signedByKnot(set: ZoneSet, zoneFolder: string, work: string): string {
  const target = join(work, `${set.id}-signed`);
  const stamp = `${target}.complete`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === set.zoneText(0)) return target;
  const folder = emptyFolder(work, `${set.id}-signed`);
  let text = `database:
  storage: "${folder}"
${KNOT_POLICY}template:
  - id: default
    storage: "${zoneFolder}"
    file: "%s.zone"
${KNOT_SIGNING}zone:
`;
  for (let i = 0; i < set.zones; i++) text += `  - domain: ${set.zoneName(i)}\n`;
  const config = join(folder, 'knot.conf');
  writeFileSync(config, text);
  for (let i = 0; i < set.zones; i++)
    execFileSync('kzonesign', ['-c', config, '-o', folder, set.zoneName(i)], { stdio: ['ignore', 'ignore', 'ignore'] });
  writeFileSync(stamp, set.zoneText(0));
  return target;
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
    const zonesFolder = set.signed === true ? signedByKnot(set, zoneFolder, work) : zoneFolder;
    const { certificate, key } = tlsFiles(work);
    let text = `server:
  ip-address: 127.0.0.1@${this.port}
  ip-address: 127.0.0.1@${this.tlsPort}
  tls-port: ${this.tlsPort}
  tls-service-key: "${key}"
  tls-service-pem: "${certificate}"
  server-count: 1
  username: ""
  zonesdir: "${zonesFolder}"
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
