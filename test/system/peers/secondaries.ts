/** Knot DNS, NSD and BIND on a loopback port as secondaries of a nameserver of ours. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '../../support/child.ts';
import { missingPeer } from '../../support/peers.ts';
import { accepts, freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export type SecondaryKind = 'knot' | 'nsd' | 'bind';

export interface SecondaryPlan {
  readonly port: number;
  readonly primaryPort: number;
  readonly zones: readonly string[];
  /** Left out: neither requests nor responses are signed. */
  readonly key?: { readonly name: string; readonly secret: string };
  /** The source address of NOTIFY, of Knot and BIND. Left out: 127.0.0.1. */
  readonly notifier?: string;
  /** Left out: it serves what it is sent. BIND cannot verify a zone that it receives. */
  readonly verification?: Verification;
}

/** Knot and NSD verify all signatures of these zones before they serve them. */
export interface Verification {
  readonly zones: readonly string[];
  /** Where NSD serves a zone to its verifier. */
  readonly port: number;
}

export interface Secondary {
  readonly kind: SecondaryKind;
  /** What it has written. */
  output(): string;
  stop(): Promise<void>;
}

interface Kind {
  readonly program: string;
  readonly args: (config: string) => string[];
  readonly config: (folder: string, plan: SecondaryPlan) => string;
  readonly ready: RegExp;
}

const KNOT_VERIFIES = '    semantic-checks: on\n    dnssec-validation: on\n';

const nsdVerify = ({ port }: Verification): string => `verify:
    enable: yes
    ip-address: 127.0.0.1@${port}
    verify-zones: yes
    verifier: /usr/bin/ldns-verify-zone
    verifier-feed-zone: yes
    verifier-timeout: 30
`;

const KINDS: Readonly<Record<SecondaryKind, Kind>> = {
  knot: {
    program: '/usr/sbin/knotd',
    args: (config) => ['-c', config],
    config: (folder, { port, primaryPort, zones, key, verification, notifier }) => `
server:
    rundir: ${folder}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: ${folder}
log:
  - target: stderr
    any: info
${key === undefined ? '' : `key:\n  - id: ${key.name}\n    algorithm: hmac-sha256\n    secret: ${key.secret}\n`}
remote:
  - id: primary
    address: 127.0.0.1@${primaryPort}
${key === undefined ? '' : `    key: ${key.name}`}
acl:
  - id: notified
    address: ${notifier ?? '127.0.0.1'}
    action: notify
${key === undefined ? '' : `    key: ${key.name}`}
  - id: compared
    address: 127.0.0.1
    action: transfer
template:
  - id: default
    storage: ${folder}
    semantic-checks: soft
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
    master: primary
    acl: [notified, compared]
zone:
${zones.map((name) => `  - domain: "${name}"\n${verification?.zones.includes(name) ? KNOT_VERIFIES : ''}`).join('')}`,
    ready: /server started/,
  },
  nsd: {
    program: '/usr/sbin/nsd',
    args: (config) => ['-d', '-c', config],
    config: (folder, { port, primaryPort, zones, key, verification }) => `
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
    xfrd-reload-timeout: 0
    rrl-ratelimit: 0
    verbosity: 2
    minimal-responses: yes
remote-control:
    control-enable: no
${verification === undefined ? '' : nsdVerify(verification)}
${key === undefined ? '' : `key:\n    name: ${key.name}\n    algorithm: hmac-sha256\n    secret: "${key.secret}"\n`}
${zones
  .map(
    (name, i) => `zone:
    name: "${name}"
    zonefile: ${i}.zone
    allow-notify: 127.0.0.1 ${key?.name ?? 'NOKEY'}
    request-xfr: 127.0.0.1@${primaryPort} ${key?.name ?? 'NOKEY'}
    provide-xfr: 127.0.0.1 NOKEY
${verification === undefined ? '' : `    verify-zone: ${verification.zones.includes(name) ? 'yes' : 'no'}\n`}`,
  )
  .join('')}`,
    ready: /nsd started/,
  },
  bind: {
    program: '/usr/sbin/named',
    args: (config) => ['-g', '-c', config],
    config: (folder, { port, primaryPort, zones, key, notifier }) => `
options {
    directory "${folder}";
    pid-file none;
    session-keyfile none;
    listen-on port ${port} { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    allow-transfer { 127.0.0.1; };
${notifier === undefined ? '' : `    allow-notify { ${notifier}; };\n`}    ixfr-from-differences no;
    minimal-responses yes;
    notify no;
    min-refresh-time 1;
    min-retry-time 1;
};
controls {};
${
  key === undefined
    ? ''
    : `key "${key.name}" { algorithm hmac-sha256; secret "${key.secret}"; };\nserver 127.0.0.1 { keys { "${key.name}"; }; };`
}
${zones
  .map(
    (name, i) => `zone "${name}" { type secondary; file "${i}.zone"; check-names ignore;
    primaries { 127.0.0.1 port ${primaryPort}${key === undefined ? '' : ` key "${key.name}"`}; }; };
`,
  )
  .join('')}`,
    ready: /running/,
  },
};

/**
 * Why a peer is left out, or null when it can be started. With WAYPOST_REQUIRE_PEERS=1 a missing
 * one is an error.
 */
export function whyNotSecondary(kind: SecondaryKind): string | null {
  const { program } = KINDS[kind];
  if (existsSync(program)) return null;
  return missingPeer(`${program} is not installed`);
}

/** Resolves when it accepts connections; its zones come after that. */
export async function startSecondary(kind: SecondaryKind, plan: SecondaryPlan): Promise<Secondary> {
  const { program, args, config, ready } = KINDS[kind];
  const folder = temporaryFolder(kind);
  const file = join(folder, `${kind}.conf`);
  writeFileSync(file, config(folder, plan));
  const child: Child = startChild(program, args(file));
  await child.waitFor(ready);
  await accepts(plan.port);
  return {
    kind,
    output: () => child.output(),
    async stop() {
      await child.stop();
      removeFolder(folder);
    },
  };
}

export { freePort };
