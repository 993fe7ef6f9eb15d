/**
 * A member of etcd next to a node, which shows and takes the certificates of the cluster: whether
 * one is to run there, and how it is started. It runs where one of `etcd.endpoints` is the node's
 * own; the first node begins a new etcd with its member alone, each other asks those that are there
 * to take it in.
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
  /** Of the node. */
  readonly name: string;
  /** Where clients come, and where other members do, which is the port after it. */
  readonly clientUrl: string;
  readonly peerUrl: string;
  /** IPv4 or IPv6. */
  readonly address: string;
}

/** What is to be done for it; `start`: the words of its command. */
export type VoterStep =
  /** None is to run here. `voters`: how many there are; null: etcd does not say. */
  | { readonly kind: 'none'; readonly voters: number | null }
  | { readonly kind: 'runs' }
  /** It is the first of a new etcd, or a member that does not run. */
  | { readonly kind: 'begin' | 'start'; readonly start: readonly string[] }
  /** `add`: the words of the command by which the others take it in, to be run first. */
  | { readonly kind: 'add'; readonly add: readonly string[]; readonly start: readonly string[] }
  /** etcd does not answer. */
  | { readonly kind: 'unknown'; readonly reason: string };

const CONNECT_MS = 1000;
/** Bytes: the maximum that etcd advises, 8 GiB. */
const QUOTA = 8 * 2 ** 30;
/** Revisions that etcd keeps of what was replaced, as in systemd/waypost-etcd.service. */
const RETENTION = 10_000;

/** The address among `hosts` at which a node listens. Throws ConfigError `no_address`. */
export function addressOf(hosts: readonly string[]): string {
  const address = hosts.find((host) => isIP(host) > 0);
  if (address !== undefined) return address;
  throw new ConfigError('no_address', `--host ${hosts.join(' ')}: one of them must be the IP address of this node.`);
}

/** As in a URL. */
const hostInUrl = (host: string): string => (URL.parse(`https://${toUrlHost(host)}`)?.hostname ?? host).toLowerCase();

/**
 * Null: none of the endpoints is at one of the node's `hosts`. Throws ConfigError `no_tls`,
 * `no_address`.
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

/** What etcd has to know of it, as settings of etcd. */
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

/** As systemd/waypost-etcd.service reads it. */
const etcdEnvironment = (settings: EtcdMemberSettings): string =>
  Object.entries(settings)
    .map(([key, value]) => `ETCD_${key.toUpperCase().replaceAll('-', '_')}=${value}\n`)
    .join('');

/**
 * The command as the unit would run it: its folder is that of the unit next to the data in
 * /var/lib/waypost.
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
  /** What systemd/waypost-etcd.service is to read; null: nothing new. */
  readonly environment: string | null;
}

/**
 * What is to be done for a member of etcd on this node, whose certificates are there. `isFirst`: it
 * may begin a new etcd. Rejects with ConfigError, EtcdRefused, and, for who is the first, with
 * EtcdUnavailable when something listens there that is not the cluster's etcd.
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
  const only = (step: VoterStep): VoterPlan => ({ step, environment: null });
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
      return only({ kind: 'none', voters });
    }
    const itself = `${name}=${voter.peerUrl}`;
    let members: readonly EtcdMemberEntry[];
    try {
      members = await gateway.members();
    } catch (error) {
      if (!(error instanceof EtcdUnavailable)) throw error;
      if (!isFirst) return only({ kind: 'unknown', reason: error.message });
      if ((await Promise.all(endpoints.map(isListening))).includes(true)) throw error;
      return plan(settingsOf(voter, itself, 'new'), (start) => ({ kind: 'begin', start }));
    }
    const others = members.filter(({ peerUrls }) => !peerUrls.includes(voter.peerUrl));
    const isKnown = others.length < members.length;
    if (isKnown && (await isListening(voter.clientUrl))) return only({ kind: 'runs' });
    const settings = settingsOf(voter, [...others.flatMap(urlsOf), itself].join(','), 'existing');
    if (isKnown) return plan(settings, (start) => ({ kind: 'start', start }));
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
    const done = (isIt: boolean): void => {
      socket.destroy();
      resolve(isIt);
    };
    socket.on('connect', () => done(true));
    socket.on('timeout', () => done(false));
    socket.on('error', () => done(false));
  });
}
