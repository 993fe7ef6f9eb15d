/** The endpoint of the nodes, for administrators. */
import { Type } from '@sinclair/typebox';
import { count, flag, list, oneOf, orNull, text, time } from '../../core/base/schema.ts';
import { type ClusterState, type NodeView, VIEWED_STATES } from '../../core/cluster/cluster-state.ts';
import { route } from '../http/route.ts';
import { formatTime } from '../http/time.ts';

const nodeView = Type.Object(
  {
    name: text('the name of the node', { examples: ['ns1'] }),
    is_self: flag('whether this node answered the request'),
    state: oneOf(
      VIEWED_STATES,
      'the state; `following`: it serves all changes; `single`: the only node; `unreachable`: it does not respond',
    ),
    is_live: flag('whether writes wait for the node'),
    applied: orNull(count('the sequence number of the last change that it serves'), 'null: not known'),
    lag_entries: orNull(count('the number of changes that other nodes serve and this one does not'), 'null: not known'),
    lag_seconds: orNull(
      Type.Number({ minimum: 0, description: 'the time for which the node may be behind the others' }),
      'null: the node does not report it',
    ),
    version: text('the version of its software, as of its last start', { examples: ['0.3.0'] }),
    feature_level: count('what it knows of changes: a node of a lower level cannot store some of them'),
    address: orNull(text('the address for other nodes'), 'null: a single node'),
    started_at: orNull(time('when its process started'), 'null: the node does not report it'),
    heard_at: orNull(time('the last contact with the node'), 'null: none since this node started'),
  },
  { title: 'Node' },
);

const storageView = Type.Object(
  {
    size: count('the size of the database in bytes'),
    used: count('the bytes of these that are live data'),
    quota: orNull(count('the maximum size in bytes'), 'null: etcd does not report it'),
    is_full: flag('whether etcd rejects writes because it is full'),
  },
  { title: 'EtcdStorage' },
);

/** `describe`: asks all nodes. */
export function nodeRoutes(describe: () => Promise<ClusterState>) {
  return [
    route({
      operationId: 'listNodes',
      method: 'GET',
      path: '/api/v1/nodes',
      tag: 'operations',
      summary: 'List the nodes with their state, lag and version',
      description: 'Each node is asked for its state. One that does not respond is "unreachable" after 3 seconds.',
      scope: 'account',
      admin: true,
      response: Type.Object({
        nodes: list(nodeView, 'sorted by name'),
        head: count('the sequence number of the last change that any of them serves'),
        feature_level: orNull(
          count('the level that all nodes have, above which nothing is written'),
          'null: etcd has not been read yet',
        ),
        etcd: orNull(storageView, 'the storage of etcd; null: there is none, or it does not respond'),
      }),
      async run() {
        const { head, nodes, agreedLevel, etcd } = await describe();
        const storage = etcd && { size: etcd.size, used: etcd.used, quota: etcd.quota, is_full: etcd.isFull };
        return { nodes: nodes.map(viewNode), head, feature_level: agreedLevel, etcd: storage };
      },
    }),
  ];
}

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));

function viewNode(node: NodeView) {
  const { name, state, applied, version, address } = node;
  return {
    name,
    state,
    applied,
    version,
    address,
    feature_level: node.level,
    is_self: node.isSelf,
    is_live: node.isLive,
    lag_entries: node.lagEntries,
    lag_seconds: node.lagSeconds,
    started_at: timeOrNull(node.startedAt),
    heard_at: timeOrNull(node.heardAt),
  };
}
