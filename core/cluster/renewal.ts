/**
 * Replaces the authority of the cluster while all nodes run:
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
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, StateError } from '../base/errors.ts';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from '../base/private-file.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { put, range, remove } from '../journal/etcd-client/messages.ts';
import { makeFolder } from '../store/folder.ts';
import { createAuthority, type Pair, signAgain, signNode } from './authority.ts';
import { type ClusterFiles, clusterFiles, etcdSettings, type Placed } from './files.ts';
import { certificatePut } from './invitations.ts';
import { type ClusterState, type KnownMember, keyOf, keysOf, readMembers } from './members.ts';
import { isIssuedBy, printsOf } from './own-certificates.ts';
import { keyPrintOf } from './peer-tls.ts';

/** Milliseconds between reads of the nodes while one is awaited. */
const POLL_MS = 300;
/** Timeout in milliseconds of a test connection to etcd. */
const PROBE_TIMEOUT_MS = 2000;

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
  /** Endpoints of etcd at the addresses of the node that use certificates of the cluster. */
  readonly endpoints: readonly string[];
}

interface Step {
  readonly title: string;
  /** Writes what the node must install. */
  readonly offer: (node: Node) => Promise<void>;
  /** Null: the node has finished the step. Else the reason why it has not. */
  readonly missing: (node: Node) => Promise<string | null>;
}

/**
 * Resolves with the names of the nodes whose unused invitations became invalid. Rejects with
 * ConfigError, StateError, EtcdUnavailable and EtcdRefused, and with the reason of the signal.
 */
export async function renewAuthority({ config, report, signal }: RenewalOptions): Promise<string[]> {
  const files = clusterFiles(config);
  requireOwnFiles(files);
  const renewal = await openRenewal(config, files);
  const { authority, oldBundle, newPrint, probe, oldProbe } = renewal;
  const both = `${oldBundle.trimEnd()}\n${authority.certificate}`;
  const issuer = new X509Certificate(authority.certificate);
  const mayConnect = (endpoint: string, ca: string, pair: Pair): Promise<boolean> =>
    isAccepted(config, endpoint, ca, pair);
  const write = (kind: 'trust' | 'reissued', name: string, pem: string): Promise<void> =>
    withGateway(config, async (gateway) => {
      const { prefix } = config.etcd;
      const recorded = kind === 'reissued' ? [certificatePut(prefix, name, new X509Certificate(pem))] : [];
      await gateway.transaction([], [put(keyOf(prefix, kind, name), Buffer.from(pem)), ...recorded]);
    });
  /** Returns the first etcd endpoint of a node for which `holds` is false. */
  const lagging = async (
    { endpoints }: Node,
    holds: (endpoint: string) => Promise<boolean>,
  ): Promise<string | null> => {
    for (const endpoint of endpoints) if (!(await holds(endpoint))) return endpoint;
    return null;
  };
  const restart = (endpoint: string): string =>
    `restart the member of etcd at ${endpoint}, which reads authorities only then`;

  const steps: readonly Step[] = [
    {
      title: 'trusts both authorities',
      offer: ({ name }) => write('trust', name, both),
      missing: async (node) => {
        if (!node.trusts.includes(newPrint)) return 'its daemon takes the new authority when it runs';
        const endpoint = await lagging(node, (url) => mayConnect(url, both, probe));
        return endpoint === null ? null : restart(endpoint);
      },
    },
    {
      title: 'has a certificate of the new authority',
      offer: async ({ name, certificate }) => write('reissued', name, await signAgain(authority, name, certificate)),
      missing: async (node) => {
        if (!isIssuedBy(node.certificate, issuer)) return 'its daemon takes the new certificate when it runs';
        const endpoint = await lagging(node, (url) => mayConnect(url, authority.certificate, probe));
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
          await write('reissued', name, await signAgain(authority, name, certificate));
        await write('trust', name, authority.certificate);
      },
      missing: async (node) => {
        if (node.trusts.join() !== newPrint) return 'its daemon drops the old authority when it runs';
        const endpoint = await lagging(
          node,
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
    for (const [i, step] of steps.slice(0, 2).entries()) await carryOut(step, `step ${i + 1} of 3`);
    replacePrivateFile(files.authority, authority.key);
  }
  await carryOut(steps[2], 'step 3 of 3');
  return finish(config, files);

  async function carryOut({ title, offer, missing }: Step, label: string): Promise<void> {
    const done = new Set<string>();
    const offered = new Set<string>();
    let reported = '';
    for (;;) {
      signal?.throwIfAborted();
      const nodes = await nodesOf(config).catch((error: unknown) => {
        // etcd may be restarting.
        if (error instanceof EtcdUnavailable) return null;
        throw error;
      });
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
}

function requireOwnFiles({ folder, ca, certificate, key }: ClusterFiles): void {
  const elsewhere = [ca, certificate, key].find((file) => dirname(file) !== folder);
  if (elsewhere !== undefined)
    throw new ConfigError(
      'other_authority',
      `${elsewhere} is outside ${folder}: the certificates come from an authority of your own, which this command cannot renew. Replace them there, first with both authorities in peer.ca_file on all nodes.`,
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
  const { nodes } = await withGateway(config, (gateway) => readMembers(gateway, config.etcd.prefix));
  const { endpoints, caFile } = config.etcd;
  // An etcd with a separate authority is not part of the renewal.
  const urls = caFile === undefined ? endpoints.filter((url) => url.startsWith('https:')) : [];
  return [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map((member) => nodeOf(member, urls));
}

function nodeOf({ name, certificate, key, trusts, version }: KnownMember, urls: readonly string[]): Node {
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
  return { name, certificate: own, trusts, endpoints: urls.filter(isAt) };
}

/** Whether a member of etcd accepts the certificate of `pair` and has a certificate of `ca`. */
async function isAccepted({ etcd }: Placed, endpoint: string, ca: string, pair: Pair): Promise<boolean> {
  const tls = { ca, certificate: pair.certificate, key: pair.key };
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: PROBE_TIMEOUT_MS, tls });
  try {
    await gateway.transaction([], [range(`${etcd.prefix}head`)]);
    return true;
  } catch {
    return false;
  } finally {
    await gateway.close();
  }
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
