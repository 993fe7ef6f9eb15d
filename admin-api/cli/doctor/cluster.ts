/** etcd, and the other nodes of the cluster. */

import type { NodeStatus } from '../../../core/cluster/cluster-state.ts';
import { etcdSettings } from '../../../core/cluster/files.ts';
import type { ClusterStatus } from '../../../core/cluster/status.ts';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import type { EtcdStorage } from '../../../core/journal/etcd-client/messages.ts';
import type { ApiResponse } from '../../routes/routes.ts';
import { type AnyCheck, check, failure, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { quoted, size } from './machine.ts';

interface EtcdReading {
  readonly endpoint: string;
  /** Response time in milliseconds. */
  readonly elapsed: number;
  readonly storage: EtcdStorage | null;
  /** Why there was no response; null: there was a response. */
  readonly trouble: string | null;
}

/** Slow response time in milliseconds; a write needs two round trips. */
const SLOW_MS = 200;

function readEndpoints(context: Context): Promise<readonly EtcdReading[]> {
  context.requireCluster();
  const settings = etcdSettings(context.config);
  return Promise.all(
    settings.endpoints.map(async (endpoint) => {
      const gateway = new EtcdGateway({ ...settings, endpoints: [endpoint] });
      const begin = performance.now();
      try {
        const storage = await gateway.storage();
        return { endpoint, storage, elapsed: performance.now() - begin, trouble: null };
      } catch (error) {
        return {
          endpoint,
          storage: null,
          elapsed: performance.now() - begin,
          trouble: (error as Error).message.replace(`${endpoint}: `, ''),
        };
      } finally {
        await gateway.close();
      }
    }),
  );
}

export const etcdHealth = check<readonly EtcdReading[]>({
  id: 'etcd.health',
  why: 'Without a majority of the members of etcd, all writes fail.',
  read: readEndpoints,
  judge(endpoints) {
    const silent = endpoints.filter(({ trouble }) => trouble !== null).length;
    const isLost = silent * 2 >= endpoints.length;
    return endpoints.map(({ endpoint, trouble, elapsed }) => {
      const fix = `sudo systemctl status waypost-etcd etcd; curl -k ${quoted(`${endpoint}/health`)}`;
      if (trouble !== null) return (isLost ? failure : warning)(`no answer: ${trouble}`, fix, endpoint);
      const found = `answered in ${Math.round(elapsed)} ms`;
      return elapsed > SLOW_MS
        ? warning(found, `ping -c 5 ${new URL(endpoint).hostname}`, endpoint)
        : ok(found, endpoint);
    });
  },
});

export const etcdSpace = check<readonly EtcdReading[]>({
  id: 'etcd.space',
  why: 'At its quota, etcd accepts no writes until it is compacted and defragmented.',
  read: readEndpoints,
  judge(endpoints) {
    const verdicts = endpoints.flatMap(({ endpoint, storage }): Verdict[] => {
      if (storage === null) return [];
      const { size: bytes, used, quota, isFull } = storage;
      const limit = quota === null ? '' : ` of ${size(quota)}`;
      const found = `the database has ${size(bytes)}${limit}, ${size(used)} of it live`;
      const defrag = `ETCDCTL_API=3 etcdctl --endpoints ${quoted(endpoint)} defrag`;
      if (isFull) return [failure(`full (alarm NOSPACE): ${found}`, `${defrag} && etcdctl alarm disarm`, endpoint)];
      if (quota !== null && bytes > quota * 0.8) return [warning(found, defrag, endpoint)];
      return [ok(found, endpoint)];
    });
    return verdicts.length > 0 ? verdicts : note('no member of etcd answered');
  },
});

interface PeersReading {
  readonly self: string;
  readonly version: string;
  readonly head: number;
  readonly nodes: readonly Pick<NodeStatus, 'name' | 'address' | 'version' | 'isLive' | 'applied' | 'lagSeconds'>[];
}

async function readPeers(context: Context): Promise<PeersReading> {
  let status: Pick<ClusterStatus, 'head'> & Pick<PeersReading, 'nodes'>;
  try {
    status = await context.cluster();
  } catch (error) {
    const reported = await readReported(context);
    if (reported !== null) status = reported;
    else if (error instanceof NotChecked) throw error;
    else throw new NotChecked(`the cluster cannot be read: ${(error as Error).message}`, 'waypost doctor --only etcd');
  }
  const { head, nodes } = status;
  return { self: context.config.nodeName, version: context.options.version, head, nodes };
}

/** Reads the daemon's report, which needs the token of an administrator. Null: no report. */
async function readReported(context: Context): Promise<Pick<PeersReading, 'head' | 'nodes'> | null> {
  if (context.options.token === undefined) return null;
  const reply = await context.fetch('/api/v1/nodes');
  return reply?.status === 200 ? parseNodes(reply.body) : null;
}

export function parseNodes(body: string): Pick<PeersReading, 'head' | 'nodes'> | null {
  try {
    const { head, nodes } = JSON.parse(body) as ApiResponse<'listNodes'>;
    return {
      head,
      nodes: nodes.map(({ name, state, is_live: isLive, applied, lag_seconds: lagSeconds, version, address }) => ({
        name,
        isLive,
        version,
        lagSeconds,
        address: address ?? '',
        applied: state === 'unreachable' ? null : applied,
      })),
    };
  } catch {
    return null;
  }
}

const eachPeer = (
  { nodes, self }: PeersReading,
  judge: (node: PeersReading['nodes'][number]) => Verdict,
): Verdict | Verdict[] => {
  const others = nodes.filter(({ name }) => name !== self);
  return others.length === 0 ? ok('there are no other nodes') : others.map(judge);
};

export const peersReachable = check<PeersReading>({
  id: 'peers.reachable',
  why: 'Nodes confirm writes to each other over mutual TLS; writes wait for a node that is silent.',
  read: readPeers,
  judge: (reading) =>
    eachPeer(reading, ({ name, address, applied, isLive }) => {
      const subject = `${name} (${address})`;
      if (applied !== null) return ok('answers, and both certificates are valid', subject);
      const at = address.lastIndexOf(':');
      const dial = `openssl s_client -connect ${quoted(address)} -servername ${quoted(name)} </dev/null`;
      if (isLive) return failure('etcd lists it as live, but it does not answer here', dial, subject);
      return warning(`does not run, or nothing reaches port ${address.slice(at + 1)}`, dial, subject);
    }),
});

export const peersLag = check<PeersReading>({
  id: 'peers.lag',
  why: 'A node that lags serves old data, and past cluster.max_lag it withdraws.',
  read: readPeers,
  judge: (reading) =>
    eachPeer(reading, ({ name, applied, lagSeconds }) => {
      if (applied === null) return note('does not answer', undefined, name);
      const behind = Math.max(0, reading.head - applied);
      const found = `${behind} changes behind${lagSeconds === null ? '' : `, ${lagSeconds} s`}`;
      return behind > 1000 || (lagSeconds ?? 0) > 30 ? warning(found, 'waypost cluster status', name) : ok(found, name);
    }),
});

export const peersVersion = check<PeersReading>({
  id: 'peers.version',
  why: 'Settings and features of a new version wait until all nodes have it.',
  read: readPeers,
  judge: (reading) =>
    eachPeer(reading, ({ name, version }) =>
      version === reading.version
        ? ok(`version ${version}`, name)
        : note(`version ${version || 'unknown'}; this command has ${reading.version}`, 'waypost cluster status', name),
    ),
});

export const CLUSTER_CHECKS: readonly AnyCheck[] = [etcdHealth, etcdSpace, peersReachable, peersLag, peersVersion];
