/**
 * Replaces the certificates of nodes before they expire, and the authority of the cluster while all
 * nodes run:
 *
 *   1. Each node, and its member of etcd, trusts both the new and the old authority.
 *   2. Each node installs a certificate of the new authority, for the same key.
 *   3. Each node trusts only the new authority: certificates of the old one become invalid.
 *
 * Nodes are processed in turn, and a step starts when all nodes have finished the previous step.
 * etcd stores what each node must install (members.ts), and each node reports what it uses. The
 * progress follows from that and from the folder `renewal`, so an interrupted command continues.
 *
 * etcd reads certificates at each handshake, but authorities only at its start. The unit restarts
 * it (systemd/waypost-etcd-reload.path); elsewhere the operator must restart it.
 */
import { X509Certificate } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, StateError } from '../base/errors.ts';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from '../base/private-file.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { put, remove } from '../journal/etcd-client/messages.ts';
import { tryLock } from '../os/file-lock.ts';
import { makeFolder } from '../store/folder.ts';
import { createAuthority, isDue, type Pair, readAuthority, signAgain, signNode } from './authority.ts';
import { isAccepted, shownAt } from './etcd-probe.ts';
import { type ClusterFiles, clusterFiles, etcdSettings, type Placed } from './files.ts';
import { certificatePut } from './invitations.ts';
import { type ClusterState, type KnownMember, keyOf, keysOf, readMembers } from './members.ts';
import { isIssuedBy, printsOf } from './own-certificates.ts';
import { keyPrintOf } from './peer-tls.ts';

/** Milliseconds between reads of the nodes while one is awaited. */
const POLL_MS = 300;

interface RenewalOptions {
  readonly config: Placed & { readonly nodeName: string };
  /** Prints a progress line. */
  readonly report: (line: string) => void;
  /** Stops the renewal; the command can continue it later. */
  readonly signal?: AbortSignal;
}

/** A member that reports everything that the renewal needs. */
interface Node {
  readonly name: string;
  readonly certificate: X509Certificate;
  readonly trusts: readonly string[];
  readonly isRunning: boolean;
  /** Endpoints of etcd at the addresses of the node that use certificates of the cluster. */
  readonly endpoints: readonly string[];
}

interface Step {
  readonly title: string;
  /** Omitted: every node is concerned. */
  readonly concerns?: (node: Node) => boolean;
  /** Writes what the node must install. */
  readonly offer: (node: Node) => Promise<void>;
  /** Null: the node has finished the step. Else the reason why it has not. */
  readonly missing: (node: Node) => Promise<string | null>;
}

/**
 * Resolves with the names of the nodes whose unused invitations became invalid. Rejects with
 * ConfigError, EtcdUnavailable, EtcdRefused, StateError such as `renewal_running`, and with the
 * reason of the signal.
 */
export async function renewAuthority(options: RenewalOptions): Promise<string[]> {
  const { config } = options;
  const files = clusterFiles(config);
  requireOwnFiles(files);
  const unlock = lockRenewal(files);
  try {
    return await replaceAuthority(options, files);
  } finally {
    unlock();
  }
}

async function replaceAuthority(options: RenewalOptions, files: ClusterFiles): Promise<string[]> {
  const { config } = options;
  const renewal = await openRenewal(config, files);
  const { authority, oldBundle, newPrint, probe, oldProbe } = renewal;
  const both = `${oldBundle.trimEnd()}\n${authority.certificate}`;
  const issuer = new X509Certificate(authority.certificate);
  const mayConnect = (endpoint: string, ca: string, pair: Pair): Promise<boolean> =>
    isAccepted(config, endpoint, ca, pair);
  const restart = (endpoint: string): string =>
    `restart the member of etcd at ${endpoint}, which reads authorities only then`;

  const steps: readonly Step[] = [
    {
      title: 'trusts both authorities',
      offer: ({ name }) => write(config, 'trust', name, both),
      missing: async (node) => {
        if (!node.trusts.includes(newPrint)) return 'its daemon takes the new authority when it runs';
        const endpoint = await findLagging(node.endpoints, (url) => mayConnect(url, both, probe));
        return endpoint === null ? null : restart(endpoint);
      },
    },
    {
      title: 'has a certificate of the new authority',
      offer: async ({ name, certificate }) =>
        write(config, 'reissued', name, await signAgain(authority, name, certificate)),
      missing: async (node) => {
        if (!isIssuedBy(node.certificate, issuer)) return 'its daemon takes the new certificate when it runs';
        const endpoint = await findLagging(node.endpoints, (url) => mayConnect(url, authority.certificate, probe));
        return endpoint === null
          ? null
          : `the member of etcd at ${endpoint} still shows the old certificate: restart it`;
      },
    },
    {
      title: 'trusts the new authority alone',
      offer: async ({ name, certificate }) => {
        // The node may have joined after the second step.
        if (!isIssuedBy(certificate, issuer))
          await write(config, 'reissued', name, await signAgain(authority, name, certificate));
        await write(config, 'trust', name, authority.certificate);
      },
      missing: async (node) => {
        if (node.trusts.join() !== newPrint) return 'its daemon drops the old authority when it runs';
        const endpoint = await findLagging(
          node.endpoints,
          async (url) =>
            (await mayConnect(url, authority.certificate, probe)) &&
            !(await mayConnect(url, authority.certificate, oldProbe)),
        );
        return endpoint === null ? null : restart(endpoint);
      },
    },
  ];
  // After the second step no certificate of the old authority is in use: see openRenewal.
  if (!renewal.isDropping) {
    for (const [i, step] of steps.slice(0, 2).entries()) await carryOut(options, step, `step ${i + 1} of 3`);
    replacePrivateFile(files.authority, authority.key);
  }
  await carryOut(options, steps[2], 'step 3 of 3');
  return finish(config, files);
}

/**
 * Issues certificates for the same keys to the running members whose certificates are due, with the
 * authority on this node. Rejects as `renewAuthority`, and with StateError `renewal_running`.
 */
export async function renewCertificates(options: RenewalOptions): Promise<void> {
  const { config } = options;
  const files = clusterFiles(config);
  requireOwnFiles(files);
  const unlock = lockRenewal(files);
  try {
    const authority = readAuthority(config);
    const probe = await signNode(authority, config.nodeName);
    const offered = new Set<string>();
    const step: Step = {
      title: 'has a new certificate',
      concerns: ({ name, certificate, isRunning }) => isRunning && (offered.has(name) || isDue(certificate)),
      offer: async ({ name, certificate }) => {
        offered.add(name);
        await write(config, 'reissued', name, await signAgain(authority, name, certificate));
      },
      missing: async ({ certificate, endpoints }) => {
        if (isDue(certificate)) return 'its daemon takes the new certificate when it runs';
        // The unit restarts the member: the next node waits for that.
        const endpoint = await findLagging(
          endpoints,
          async (url) => (await shownAt(url, probe))?.fingerprint256 === certificate.fingerprint256,
        );
        return endpoint === null ? null : `the member of etcd at ${endpoint} still shows the old certificate`;
      },
    };
    await carryOut(options, step, 'renewal');
    const { prefix } = config.etcd;
    await withGateway(config, (gateway) => gateway.transaction([], [remove(...keysOf(prefix, 'reissued'))]));
  } finally {
    unlock();
  }
}

/** Finishes a step at one node after the other. */
async function carryOut(
  { config, report, signal }: RenewalOptions,
  { title, concerns, offer, missing }: Step,
  label: string,
): Promise<void> {
  const done = new Set<string>();
  const offered = new Set<string>();
  let reported = '';
  for (;;) {
    signal?.throwIfAborted();
    const all = await nodesOf(config).catch((error: unknown) => {
      // etcd may be restarting.
      if (error instanceof EtcdUnavailable) return null;
      throw error;
    });
    const nodes = all === null || concerns === undefined ? all : all.filter(concerns);
    const node = nodes?.find(({ name }) => !done.has(name));
    if (nodes !== null && node === undefined) return;
    let waiting = 'etcd does not answer';
    if (node !== undefined) {
      const reason = await missing(node);
      if (reason === null) {
        done.add(node.name);
        report(`${label}: ${node.name} ${title} (${done.size} of ${nodes?.length})`);
        continue;
      }
      if (!offered.has(node.name)) {
        await offer(node);
        offered.add(node.name);
        continue;
      }
      waiting = `${node.name}: ${reason}`;
    }
    // A running daemon installs new files at once: the first wait is not reported.
    if (reported !== waiting && reported !== '') report(`${label}: waiting for ${waiting}`);
    reported = reported === '' ? ' ' : waiting;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function requireOwnFiles({ folder, ca, certificate, key }: ClusterFiles): void {
  const elsewhere = [ca, certificate, key].find((file) => dirname(file) !== folder);
  if (elsewhere !== undefined)
    throw new ConfigError(
      'other_authority',
      `${elsewhere} is outside ${folder}: the certificates come from an authority of your own, which this command cannot renew. Replace them there, first with both authorities in peer.ca_file on all nodes.`,
    );
}

/**
 * One renewal at a time: of the daemon, or of a command. Returns a function that ends the lock.
 * Throws StateError `renewal_running`.
 */
function lockRenewal({ folder }: ClusterFiles): () => void {
  const descriptor = openSync(folder, 'r');
  if (tryLock(descriptor) !== false) return () => closeSync(descriptor);
  closeSync(descriptor);
  throw new StateError(
    'renewal_running',
    'The certificates of the cluster are being renewed by the daemon of this node, or by another command. Its progress is in the log; try again when it has finished.',
  );
}

interface OpenRenewal {
  readonly authority: Pair;
  readonly newPrint: string;
  /** The authorities before the renewal. */
  readonly oldBundle: string;
  /** Client certificates of the new and of the old authority, for test connections. */
  readonly probe: Pair;
  readonly oldProbe: Pair;
  /** The first two steps are finished. */
  readonly isDropping: boolean;
}

/** Starts a renewal, or continues an interrupted one. */
async function openRenewal(config: RenewalOptions['config'], files: ClusterFiles): Promise<OpenRenewal> {
  const at = (name: string): string => join(files.renewal, name);
  const own = readFileSync(files.certificate, 'utf8');
  const { nodes } = await withGateway(config, (gateway) => readMembers(gateway, config.etcd.prefix));
  if (nodes.get(config.nodeName)?.key !== keyPrintOf(own))
    throw new StateError(
      'no_member',
      `${config.nodeName} is not a member of the cluster with the certificate in ${files.folder}. Run this command on a member.`,
    );
  // The key is written last: a folder with the key is complete.
  if (!existsSync(at('ca.key'))) {
    rmSync(files.renewal, { recursive: true, force: true });
    makeFolder(files.renewal);
    const created = await createAuthority();
    createPrivateFile(at('old-ca.pem'), readFileSync(files.ca, 'utf8'));
    createPrivateFile(at('old-node.pem'), own);
    createPrivateFile(at('ca.pem'), created.certificate);
    createPrivateFile(at('ca.key'), created.key);
  }
  const authority = { certificate: readFileSync(at('ca.pem'), 'utf8'), key: readPrivateFile(at('ca.key')) ?? '' };
  return {
    authority,
    newPrint: printsOf(authority.certificate)[0],
    oldBundle: readFileSync(at('old-ca.pem'), 'utf8'),
    probe: await signNode(authority, config.nodeName),
    oldProbe: { certificate: readFileSync(at('old-node.pem'), 'utf8'), key: readFileSync(files.key, 'utf8') },
    isDropping: readPrivateFile(files.authority) === authority.key,
  };
}

/**
 * All members, sorted by name. Rejects with StateError if a member does not support the renewal.
 */
async function nodesOf(config: RenewalOptions['config']): Promise<Node[]> {
  const { nodes, there } = await withGateway(config, (gateway) => readMembers(gateway, config.etcd.prefix));
  const { endpoints, caFile } = config.etcd;
  // An etcd with a separate authority is not part of the renewal.
  const urls = caFile === undefined ? endpoints.filter((url) => url.startsWith('https:')) : [];
  return [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map((member) => nodeOf(member, urls, there));
}

function nodeOf(
  { name, certificate, key, trusts, version }: KnownMember,
  urls: readonly string[],
  running: ReadonlySet<string>,
): Node {
  if (certificate === undefined || key === undefined || trusts === undefined || keyPrintOf(certificate) !== key)
    throw new StateError(
      'feature_level',
      `${name} has version ${version || 'unknown'}, which does not report its certificate. Update it first, or remove it with "waypost cluster remove ${name}".`,
    );
  const own = new X509Certificate(certificate);
  const isAt = (url: string): boolean => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    return own.checkHost(host) !== undefined || own.checkIP(host) !== undefined;
  };
  return { name, certificate: own, trusts, isRunning: running.has(name), endpoints: urls.filter(isAt) };
}

/** Writes what a node must install. */
const write = (config: Placed, kind: 'trust' | 'reissued', name: string, pem: string): Promise<void> =>
  withGateway(config, async (gateway) => {
    const { prefix } = config.etcd;
    const recorded = kind === 'reissued' ? [certificatePut(prefix, name, new X509Certificate(pem))] : [];
    await gateway.transaction([], [put(keyOf(prefix, kind, name), Buffer.from(pem)), ...recorded]);
  });

/** The first endpoint for which `holds` is false; null: none. */
async function findLagging(
  endpoints: readonly string[],
  holds: (endpoint: string) => Promise<boolean>,
): Promise<string | null> {
  for (const endpoint of endpoints) if (!(await holds(endpoint))) return endpoint;
  return null;
}

/** Deletes the keys in etcd and the files of the renewal, and all unused invitations. */
async function finish(config: Placed, files: ClusterFiles): Promise<string[]> {
  const { prefix } = config.etcd;
  const names = await withGateway(config, async (gateway) => {
    const { invited }: ClusterState = await readMembers(gateway, prefix);
    await gateway.transaction(
      [],
      [
        ...(['trust', 'reissued'] as const).map((kind) => remove(...keysOf(prefix, kind))),
        ...[...invited.keys()].map((key) => remove(keyOf(prefix, 'invited', key))),
      ],
    );
    return [...invited.values()].map(({ name }) => name);
  });
  rmSync(files.renewal, { recursive: true, force: true });
  return names.sort();
}

/** Opens a gateway with the current certificate files, which the renewal replaces. */
async function withGateway<T>(config: Placed, work: (gateway: EtcdGateway) => Promise<T>): Promise<T> {
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}
