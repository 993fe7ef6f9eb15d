/**
 * BIND, Knot DNS and NSD on a loopback port, with zones as files. They are Debian's packages;
 * nothing is downloaded.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../../core/dns/wire/types.ts';
import { type Child, startChild } from '../../support/child.ts';
import { formatZone } from '../../support/names.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';

export interface Peer {
  readonly name: 'bind' | 'knot' | 'nsd';
  readonly port: number;
  stop(): Promise<void>;
}

interface PeerKind {
  readonly name: Peer['name'];
  readonly program: string;
  readonly args: (config: string) => string[];
  readonly config: (folder: string, port: number, zones: readonly ZoneFile[], additional: boolean) => string;
  /** What it prints when every zone is loaded. */
  readonly ready: RegExp;
}

interface ZoneFile {
  readonly name: string;
  readonly file: string;
}

const KNOT: PeerKind = {
  name: 'knot',
  program: '/usr/sbin/knotd',
  args: (config) => ['-c', config],
  // `soft`: zones that hold names below a DNAME are served, as ours are. Answers over UDP may be as
  // long as they need.
  config: (folder, port, zones) => `
server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    udp-max-payload: 4096
database:
    storage: ${folder}
log:
  - target: stderr
    any: info
template:
  - id: default
    storage: ${folder}
    semantic-checks: soft
    journal-content: none
    zonefile-sync: -1
zone:
${zones.map(({ name, file }) => `  - domain: "${name}"\n    file: ${file}\n`).join('')}`,
  ready: /server started/,
};

const NSD: PeerKind = {
  name: 'nsd',
  program: '/usr/sbin/nsd',
  args: (config) => ['-d', '-c', config],
  config: (folder, port, zones) => `
server:
    ip-address: 127.0.0.1@${port}
    username: ""
    server-count: 1
    zonesdir: ${folder}
    database: ""
    pidfile: ${folder}/nsd.pid
    xfrdfile: ${folder}/xfrd.state
    zonelistfile: ${folder}/zone.list
    xfrdir: ${folder}
    minimal-responses: yes
    ipv4-edns-size: 4096
    rrl-ratelimit: 0
    verbosity: 1
remote-control:
    control-enable: no
${zones.map(({ name, file }) => `zone:\n    name: "${name}"\n    zonefile: ${file}\n`).join('')}`,
  ready: /nsd started/,
};

const BIND: PeerKind = {
  name: 'bind',
  program: '/usr/sbin/named',
  args: (config) => ['-g', '-n', '1', '-c', config],
  config: (folder, port, zones, additional) => `
options {
    directory "${folder}";
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    pid-file none;
    session-keyfile "${folder}/session.key";
    recursion no;
    dnssec-validation no;
    minimal-responses ${additional ? 'no-auth' : 'yes'};
    max-udp-size 4096;
    notify no;
    check-integrity no;
    empty-zones-enable no;
};
controls { };
${zones
  .map(
    ({ name, file }) => `zone "${name}" { type primary; file "${file}"; check-names ignore; };
`,
  )
  .join('')}`,
  ready: /\brunning$/m,
};

const KINDS: Readonly<Record<Peer['name'], PeerKind>> = { bind: BIND, knot: KNOT, nsd: NSD };

/**
 * Why a peer is left out, or null when it can be started. With WAYPOST_REQUIRE_PEERS=1 a missing
 * one is an error.
 */
export function whyNot(name: Peer['name']): string | null {
  const { program } = KINDS[name];
  if (existsSync(program)) return null;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1')
    throw new Error(`${program} is not installed, and peers are required.`);
  return `${program} is not installed`;
}

/**
 * Resolves when all zones are loaded; rejects with the server's output when one is not. Each zone
 * begins with its SOA. `write` makes its master file. `additional`: BIND sends additional records
 * with positive answers, which it may leave out.
 */
export async function startPeer(
  name: Peer['name'],
  zones: readonly (readonly ResourceRecord[])[],
  write: (zone: readonly ResourceRecord[]) => string = formatZone,
  additional = false,
): Promise<Peer> {
  const kind = KINDS[name];
  const folder = temporaryFolder(name);
  mkdirSync(join(folder, 'zones'));
  const files = zones.map((records, i): ZoneFile => {
    const file = join(folder, 'zones', `${i}.zone`);
    writeFileSync(file, write(records));
    return { name: formatName(records[0].name), file };
  });
  const port = await freePort();
  const config = join(folder, `${name}.conf`);
  writeFileSync(config, kind.config(folder, port, files, additional));
  const child: Child = startChild(kind.program, kind.args(config));
  await child.waitFor(kind.ready);
  return { name, port, stop: async () => void (await child.stop()) };
}
