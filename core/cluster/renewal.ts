/**
 * Another authority takes the place of the cluster's, while all nodes run:
 *
 *   1. Each node, and its member of etcd, trusts the new authority next to the old one.
 *   2. Each node gets a certificate of the new authority, for the same key.
 *   3. Each node trusts the new authority alone: certificates of the old one are worthless.
 *
 * One node after the other, and each step begins when all nodes have done the one before. What a
 * node is to take is in etcd (members.ts); it reports what it has. All is begun from the folder
 * `renewal` and what is found, so that the command goes on after an interruption.
 *
 * etcd reads certificates again at each handshake, and authorities when it starts: the unit starts
 * it again (systemd/waypost-etcd-reload.path), elsewhere it is the operator's to do.
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
import { keyPrintOf } from './key-print.ts';
import { type ClusterState, type KnownMember, keyOf, keysOf, readMembers } from './members.ts';
import { isIssuedBy, printsOf } from './own-certificates.ts';

/** Milliseconds between looks at a node that others wait for. */
const LOOK = 300;
/** Milliseconds for etcd to answer whether it takes a certificate. */
const PROBE = 2000;

interface RenewalOptions {
  readonly config: Placed & { readonly nodeName: string };
  /** A line for people. */
  readonly report: (line: string) => void;
  /** Ends it; it may be begun again. */
  readonly signal?: AbortSignal;
}

/** A member whose entry has all that is needed. */
interface Node {
  readonly name: string;
  readonly certificate: X509Certificate;
  readonly trusts: readonly string[];
  /** Members of etcd at its addresses that show certificates of the cluster. */
  readonly endpoints: readonly string[];
}

interface Step {
  readonly title: string;
  /** What the node is to take. */
  readonly offer: (node: Node) => Promise<void>;
  /** Null: it has. Else what it is waited for. */
  readonly missing: (node: Node) => Promise<string | null>;
}

/**
 * Resolves with the names of those whose unused invitations are void. Rejects with ConfigError,
 * StateError, EtcdUnavailable and EtcdRefused, and with the reason of the signal.
 */
export async function renewAuthority({ config, report, signal }: RenewalOptions): Promise<string[]> {
  const files = clusterFiles(config);
  requireOwnFiles(files);
  const renewal = await openRenewal(config, files);
  const { authority, oldBundle, newPrint, probe, oldProbe } = renewal;
  const both = `${oldBundle.trimEnd()}\n${authority.certificate}`;
  const issuer = new X509Certificate(authority.certificate);
  const mayConnect = (endpoint: string, ca: string, pair: Pair): Promise<boolean> =>
    isTaken(config, endpoint, ca, pair);
  const write = (kind: 'trust' | 'reissued', name: string, pem: string): Promise<void> =>
    withGateway(config, async (gateway) => {
      const { prefix } = config.etcd;
      const recorded = kind === 'reissued' ? [certificatePut(prefix, name, new X509Certificate(pem))] : [];
      await gateway.transaction([], [put(keyOf(prefix, kind, name), Buffer.from(pem)), ...recorded]);
    });
  /** The first member of etcd of a node for which `holds` is false. */
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
        // One that has joined meanwhile.
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
        // etcd may be starting again.
        if (error instanceof EtcdUnavailable) return null;
        throw error;
      });
      const node = nodes?.find(({ name }) => !done.has(name));
      if (nodes !== null && node === undefined) return;
      let waiting = 'etcd does not answer';
      if (node !== undefined) {
        const what = await missing(node);
        if (what === null) {
          done.add(node.name);
          report(`${label}: ${node.name} ${title} (${done.size} of ${nodes?.length})`);
          continue;
        }
        if (!offered.has(node.name)) {
          await offer(node);
          offered.add(node.name);
          continue;
        }
        waiting = `${node.name}: ${what}`;
      }
      // The daemon takes what it is offered at once; only what takes longer is reported.
      if (reported !== waiting && reported !== '') report(`${label}: waiting for ${waiting}`);
      reported = reported === '' ? ' ' : waiting;
      await sleep(LOOK, undefined, { signal });
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
  /** The authorities before. */
  readonly oldBundle: string;
  /** A client of the new authority, and of the old one. */
  readonly probe: Pair;
  readonly oldProbe: Pair;
  /** The first two steps are done. */
  readonly isDropping: boolean;
}

/** Begins it, or goes on with one that was interrupted. */
async function openRenewal(config: RenewalOptions['config'], files: ClusterFiles): Promise<OpenRenewal> {
  const at = (name: string): string => join(files.renewal, name);
  const own = readFileSync(files.certificate, 'utf8');
  const { nodes } = await withGateway(config, (gateway) => readMembers(gateway, config.etcd.prefix));
  if (nodes.get(config.nodeName)?.key !== keyPrintOf(own))
    throw new StateError(
      'no_member',
      `${config.nodeName} is not a member of the cluster with the certificate in ${files.folder}. Run this command on a member.`,
    );
  // Last, so that a folder with the key is complete.
  if (!existsSync(at('ca.key'))) {
    rmSync(files.renewal, { recursive: true, force: true });
    makeFolder(files.renewal);
    const made = await createAuthority();
    createPrivateFile(at('old-ca.pem'), readFileSync(files.ca, 'utf8'));
    createPrivateFile(at('old-node.pem'), own);
    createPrivateFile(at('ca.pem'), made.certificate);
    createPrivateFile(at('ca.key'), made.key);
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

/** All members, in order. Rejects with StateError for one that this command cannot serve. */
async function nodesOf(config: RenewalOptions['config']): Promise<Node[]> {
  const { nodes } = await withGateway(config, (gateway) => readMembers(gateway, config.etcd.prefix));
  const { endpoints, caFile } = config.etcd;
  // An etcd with an authority of its own is not concerned.
  const urls = caFile === undefined ? endpoints.filter((url) => url.startsWith('https:')) : [];
  return [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map((member) => nodeOf(member, urls));
}

function nodeOf({ name, certificate, key, trusts, version }: KnownMember, urls: readonly string[]): Node {
  if (certificate === undefined || key === undefined || trusts === undefined || keyPrintOf(certificate) !== key)
    throw new StateError(
      'feature_level',
      `${name} has version ${version || 'unknown'}, which does not report its certificate. Update it first, or give it up with "waypost cluster remove ${name}".`,
    );
  const own = new X509Certificate(certificate);
  const isAt = (url: string): boolean => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    return own.checkHost(host) !== undefined || own.checkIP(host) !== undefined;
  };
  return { name, certificate: own, trusts, endpoints: urls.filter(isAt) };
}

/** Whether a member of etcd takes a certificate, and shows one of the authorities. */
async function isTaken({ etcd }: Placed, endpoint: string, ca: string, pair: Pair): Promise<boolean> {
  const tls = { ca, certificate: pair.certificate, key: pair.key };
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: PROBE, tls });
  try {
    await gateway.transaction([], [range(`${etcd.prefix}head`)]);
    return true;
  } catch {
    return false;
  } finally {
    await gateway.close();
  }
}

/** Deletes what was for the way only. */
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

/** With the files as they are now: they change meanwhile. */
async function withGateway<T>(config: Placed, work: (gateway: EtcdGateway) => Promise<T>): Promise<T> {
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}
