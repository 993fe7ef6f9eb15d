/**
 * Validating resolvers on a loopback port: Unbound, Knot Resolver, PowerDNS Recursor and BIND. They
 * ask our daemon for one zone, of which they trust the keys, and no other server.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { formatName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { DnssecRow, Domain } from '../../../core/store/rows.ts';
import { startChild } from '../../support/child.ts';
import { missingPeer } from '../../support/peers.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { anchorFile } from './rig.ts';

export type ResolverName = 'unbound' | 'kresd' | 'pdns_recursor' | 'named';

export interface Resolver {
  readonly name: ResolverName;
  readonly port: number;
  stop(): Promise<void>;
}

interface Setup {
  readonly folder: string;
  /** Where the resolver listens. */
  readonly port: number;
  /** Where our daemon listens. */
  readonly upstream: number;
  readonly domain: Domain;
  readonly row: DnssecRow;
}

interface Kind {
  readonly file: string;
  readonly config: (setup: Setup) => string;
  readonly args: (folder: string, file: string) => string[];
  readonly ready: RegExp;
}

const keysOf = ({ row }: Setup): Buffer[] => row.keys.map(({ dnskey }) => Buffer.from(dnskey, 'base64'));
const apexOf = ({ domain }: Setup): string => formatName(domain.apex);

const KINDS: Readonly<Record<ResolverName, Kind>> = {
  unbound: {
    file: 'unbound.conf',
    config: (setup) => `
server:
  interface: 127.0.0.1
  port: ${setup.port}
  username: ""
  chroot: ""
  directory: "${setup.folder}"
  pidfile: ""
  use-syslog: no
  verbosity: 1
  do-daemonize: no
  do-not-query-localhost: no
  do-ip6: no
  num-threads: 1
  module-config: "validator iterator"
  aggressive-nsec: yes
  ${keysOf(setup)
    .map((key) => `trust-anchor: "${apexOf(setup)} DNSKEY ${formatRdata(TYPE.DNSKEY, key)}"`)
    .join('\n  ')}
stub-zone:
  name: "${apexOf(setup)}"
  stub-addr: 127.0.0.1@${setup.upstream}
remote-control:
  control-enable: no
`,
    args: (_folder, file) => ['-d', '-p', '-c', file],
    ready: /start of service/,
  },
  kresd: {
    file: 'kresd.conf',
    config: (setup) => `
net.listen('127.0.0.1', ${setup.port}, { kind = 'dns' })
net.ipv6 = false
cache.size = 32 * MB
trust_anchors.remove('.')
${keysOf(setup)
  .map((key) => `trust_anchors.add('${apexOf(setup)} 3600 DNSKEY ${formatRdata(TYPE.DNSKEY, key)}')`)
  .join('\n')}
policy.add(policy.suffix(policy.FORWARD('127.0.0.1@${setup.upstream}'), { todname('${apexOf(setup)}') }))
print('configured')
io.stdout:flush()
`,
    args: (folder, file) => ['-n', '-c', file, folder],
    ready: /configured/,
  },
  pdns_recursor: {
    file: 'recursor.conf',
    config: (setup) => {
      const anchors = keysOf(setup).map((key) => formatRdata(TYPE.DS, dsRdata(setup.domain.apex, key)));
      const lua = join(setup.folder, 'anchors.lua');
      // By default it fails for names that are four labels and more below an existing one.
      const limit = 'max-nsec3s-per-record=100';
      writeFileSync(lua, `clearTA('.')\n${anchors.map((ds) => `addTA('${apexOf(setup)}', '${ds}')\n`).join('')}`);
      return `
local-address=127.0.0.1
local-port=${setup.port}
socket-dir=${setup.folder}
lua-config-file=${lua}
dnssec=validate
${limit}
forward-zones=${apexOf(setup)}=127.0.0.1:${setup.upstream}
dont-query=
disable-syslog=yes
threads=1
write-pid=no
`;
    },
    args: (folder) => [`--config-dir=${folder}`, '--daemon=no'],
    ready: /Enabled '?epoll|multiplexer/,
  },
  named: {
    file: 'named.conf',
    config: (setup) => `
include "${anchorFile(setup.domain, setup.row)}";
options {
  directory "${setup.folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${setup.port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion yes;
  dnssec-validation yes;
  synth-from-dnssec yes;
  empty-zones-enable no;
};
controls { };
zone "${apexOf(setup)}" { type forward; forward only; forwarders { 127.0.0.1 port ${setup.upstream}; }; };
`,
    args: (_folder, file) => ['-g', '-n', '1', '-c', file],
    ready: /\brunning$/,
  },
};

const programOf = (name: ResolverName): string => `/usr/sbin/${name}`;

/** Why a resolver is left out, or null. With WAYPOST_REQUIRE_PEERS=1 a missing one is an error. */
export function whyNotResolver(name: ResolverName): string | null {
  if (existsSync(programOf(name))) return null;
  return missingPeer(`${programOf(name)} is not installed`);
}

export async function startResolver(
  name: ResolverName,
  domain: Domain,
  row: DnssecRow,
  upstream: number,
): Promise<Resolver> {
  const kind = KINDS[name];
  const folder = temporaryFolder(name);
  const port = await freePort();
  const file = join(folder, kind.file);
  writeFileSync(file, kind.config({ folder, port, upstream, domain, row }));
  const child = startChild(programOf(name), kind.args(folder, file));
  await child.waitFor(kind.ready);
  return { name, port, stop: async () => void (await child.stop()) };
}
