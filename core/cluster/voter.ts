/**
 * Plans a member of etcd on a node: whether it is needed, and how to start it. It uses the
 * certificates of the cluster. It runs if one of `etcd.endpoints` is an address of the node. The
 * first node starts a new etcd with a single member; other nodes join the existing members.
 */

import { connect, isIP } from 'node:net';
import { ConfigError } from '../base/errors.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import type { EtcdMemberEntry } from '../journal/etcd-client/messages.ts';
import { fromUrlHost, toUrlHost } from '../net/address/url-host.ts';
import { type ClusterFiles, clusterFiles, etcdSettings, type Placed } from './files.ts';
import { revocationList } from './revocation-list.ts';

interface Voter {
  /** Name of the node. */
  readonly name: string;
  /** URLs for clients and for other members of etcd, which use the next port. */
  readonly clientUrl: string;
  readonly peerUrl: string;
  /** IPv4 or IPv6. */
  readonly address: string;
}

/** The next step for the member. `start`: its command line. */
export type VoterStep =
  /**
   * No member is needed here. `voters`: number of members of etcd; null: etcd does not report it.
   */
  | { readonly kind: 'none'; readonly voters: number | null }
  | { readonly kind: 'runs' }
  /** `begin`: the first member of a new etcd. `start`: a member that is not running. */
  | { readonly kind: 'begin' | 'start'; readonly start: readonly string[] }
  /** `add`: the command line that adds the member, which must run first. */
  | { readonly kind: 'add'; readonly add: readonly string[]; readonly start: readonly string[] }
  /** etcd does not respond. */
  | { readonly kind: 'unknown'; readonly reason: string };

const CONNECT_MS = 1000;
/** Bytes: the maximum that etcd advises, 8 GiB. */
const QUOTA = 8 * 2 ** 30;
/** Number of past revisions that etcd keeps, as in systemd/waypost-etcd.service. */
const RETENTION = 10_000;

/** The address among `hosts` at which a node listens. Throws ConfigError `no_address`. */
export function addressOf(hosts: readonly string[]): string {
  const address = hosts.find((host) => isIP(host) > 0);
  if (address !== undefined) return address;
  throw new ConfigError('no_address', `--host ${hosts.join(' ')}: one of them must be the IP address of this node.`);
}

/** Normalizes a host as URLs do. */
const hostInUrl = (host: string): string => (URL.parse(`https://${toUrlHost(host)}`)?.hostname ?? host).toLowerCase();

/**
 * The member of etcd of this node. Null: no endpoint has one of the node's `hosts`. Throws
 * ConfigError `no_tls`, `no_address`.
 */
export function voterOf(endpoints: readonly string[], name: string, hosts: readonly string[]): Voter | null {
  const own = new Set([name, ...hosts].map(hostInUrl));
  const url =
    hosts.length === 0
      ? undefined
      : endpoints.map((endpoint) => new URL(endpoint)).find((endpointUrl) => own.has(endpointUrl.hostname));
  if (url === undefined) return null;
  if (url.protocol !== 'https:')
    throw new ConfigError(
      'no_tls',
      `${url.origin} uses a --host of this node without TLS, so anybody who can reach it can change every zone. Use https. If no etcd runs there yet, this command then prints how to start a member with the certificates of the cluster. If an etcd runs there, configure it to accept only TLS first.`,
    );
  const inUrl = fromUrlHost(url.hostname);
  const peer = new URL(url);
  peer.port = String(Number(url.port || 443) + 1);
  const address = isIP(inUrl) > 0 ? inUrl : addressOf(hosts);
  return { name, clientUrl: url.origin, peerUrl: peer.origin, address };
}

/** The settings of etcd for the member. */
function settingsOf({ name, clientUrl, peerUrl, address }: Voter, cluster: string, state: 'new' | 'existing') {
  const at = (url: string): string => `https://${hostInUrl(address)}:${new URL(url).port}`;
  return {
    name,
    'listen-client-urls': at(clientUrl),
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': at(peerUrl),
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': cluster,
    'initial-cluster-token': 'waypost',
    'initial-cluster-state': state,
  };
}

type EtcdMemberSettings = ReturnType<typeof settingsOf>;

/** Environment file for systemd/waypost-etcd.service. */
const etcdEnvironment = (settings: EtcdMemberSettings): string =>
  Object.entries(settings)
    .map(([key, value]) => `ETCD_${key.toUpperCase().replaceAll('-', '_')}=${value}\n`)
    .join('');

/**
 * The command line of the unit. The data folder of etcd is next to that of the node, like
 * /var/lib/waypost-etcd in the unit.
 */
function startOf(settings: EtcdMemberSettings, files: ClusterFiles, dataDir: string): string[] {
  const { ca, certificate, key } = files;
  const crl = revocationList(files);
  const words = (pairs: Readonly<Record<string, string>>): string[] =>
    Object.entries(pairs).flatMap(([option, value]) => [`--${option}`, value]);
  return [
    'etcd',
    ...words({ ...settings, 'data-dir': `${dataDir}-etcd` }),
    ...['--client-cert-auth', ...words({ 'trusted-ca-file': ca, 'cert-file': certificate, 'key-file': key })],
    ...words({ 'client-crl-file': crl }),
    '--peer-client-cert-auth',
    ...words({ 'peer-trusted-ca-file': ca, 'peer-cert-file': certificate, 'peer-key-file': key }),
    ...words({ 'peer-crl-file': crl }),
    ...words({ 'auto-compaction-mode': 'revision', 'auto-compaction-retention': String(RETENTION) }),
    ...words({ 'quota-backend-bytes': String(QUOTA), logger: 'zap', 'log-outputs': 'stderr' }),
  ];
}

interface VoterPlan {
  readonly step: VoterStep;
  /** Environment file for systemd/waypost-etcd.service; null: unchanged. */
  readonly environment: string | null;
}

/**
 * Plans the next step for a member of etcd on this node, which already has its certificates.
 * `isFirst`: it may start a new etcd. Rejects with ConfigError and EtcdRefused. With `isFirst`,
 * rejects with EtcdUnavailable if another service listens at an endpoint.
 */
export async function planVoter(
  config: Placed,
  name: string,
  hosts: readonly string[],
  isFirst: boolean,
): Promise<VoterPlan> {
  const { endpoints } = config.etcd;
  const voter = voterOf(endpoints, name, hosts);
  const files = clusterFiles(config);
  const gateway = new EtcdGateway(etcdSettings(config));
  const withoutEnvironment = (step: VoterStep): VoterPlan => ({ step, environment: null });
  const plan = (settings: EtcdMemberSettings, step: (start: string[]) => VoterStep): VoterPlan => ({
    step: step(startOf(settings, files, config.dataDir)),
    environment: etcdEnvironment(settings),
  });
  try {
    if (voter === null) {
      const voters = await gateway.members().then(
        ({ length }) => length,
        () => null,
      );
      return withoutEnvironment({ kind: 'none', voters });
    }
    const ownMember = `${name}=${voter.peerUrl}`;
    let members: readonly EtcdMemberEntry[];
    try {
      members = await gateway.members();
    } catch (error) {
      if (!(error instanceof EtcdUnavailable)) throw error;
      if (!isFirst) return withoutEnvironment({ kind: 'unknown', reason: error.message });
      if ((await Promise.all(endpoints.map(isListening))).includes(true)) throw error;
      return plan(settingsOf(voter, ownMember, 'new'), (start) => ({ kind: 'begin', start }));
    }
    const others = members.filter(({ peerUrls }) => !peerUrls.includes(voter.peerUrl));
    const isMember = others.length < members.length;
    if (isMember && (await isListening(voter.clientUrl))) return withoutEnvironment({ kind: 'runs' });
    const settings = settingsOf(voter, [...others.flatMap(urlsOf), ownMember].join(','), 'existing');
    if (isMember) return plan(settings, (start) => ({ kind: 'start', start }));
    const add = [
      ...['etcdctl', '--endpoints', others.flatMap(({ clientUrls }) => clientUrls).join(',')],
      ...['--cacert', files.ca, '--cert', files.certificate, '--key', files.key],
      ...['member', 'add', name, `--peer-urls=${voter.peerUrl}`],
    ];
    return plan(settings, (start) => ({ kind: 'add', add, start }));
  } finally {
    await gateway.close();
  }
}

const urlsOf = ({ name, peerUrls }: EtcdMemberEntry): string[] => peerUrls.map((url) => `${name}=${url}`);

function isListening(endpoint: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(endpoint);
  return new Promise((resolve) => {
    const socket = connect({
      host: fromUrlHost(hostname),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: CONNECT_MS,
    });
    const done = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on('connect', () => done(true));
    socket.on('timeout', () => done(false));
    socket.on('error', () => done(false));
  });
}
