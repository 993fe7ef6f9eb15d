/** Endpoints for liveness and readiness probes. */
import { Type } from '@sinclair/typebox';
import { list, text } from '../../core/base/schema.ts';
import { STATES } from '../../core/cluster/cluster-state.ts';
import type { Standing } from '../../core/cluster/lag.ts';
import type { Readiness } from '../../core/cluster/readiness.ts';
import { publicRoute } from '../http/route.ts';

const healthResponse = Type.Object({ node: text('the name of the node', { examples: ['ns1'] }) });

const clusterResponse = Type.Object(
  {
    state: Type.Union(
      STATES.map((state) => Type.Literal(state)),
      { description: 'the state of the node' },
    ),
    lag_entries: Type.Integer({ description: 'the number of changes of other nodes that this node has not applied' }),
    lag_seconds: Type.Number({ description: 'the time for which this node may be behind the other nodes' }),
    etcd_seconds: Type.Union([Type.Number(), Type.Null()], { description: 'seconds since the last response of etcd' }),
    feature_level: Type.Union([Type.Integer(), Type.Null()], {
      description: 'the feature level that all nodes have agreed on; null: etcd has not been read yet',
    }),
    pending: list(Type.String(), 'nodes that have not applied all changes of this node'),
  },
  { description: 'the state of the node in the cluster; omitted for a single node' },
);

const backupResponse = Type.Object(
  {
    latest: Type.Union([Type.String(), Type.Null()], { description: 'the time of the latest backup (ISO 8601)' }),
    count: Type.Integer({ description: 'the number of backups' }),
    sequence: Type.Integer({ description: 'the last change that the backups and the copied changes have' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'why the last attempt failed; null: it did not' }),
  },
  { description: 'the backups of all nodes; omitted if none are configured' },
);

export function healthRoutes(ready: () => Readiness, nodeName: string) {
  return [
    publicRoute({
      operationId: 'getHealth',
      method: 'GET',
      path: '/healthz',
      tag: 'operations',
      summary: 'Check that the process is alive',
      description:
        'Answers as long as the process runs, also while the node is not ready. For liveness probes; GET /readyz is for load balancers.',
      response: healthResponse,
      run: () => ({ node: nodeName }),
    }),
    publicRoute({
      operationId: 'getReadiness',
      method: 'GET',
      path: '/readyz',
      tag: 'operations',
      summary: 'Check that the node is ready: all changes applied, all listeners open',
      description:
        'For readiness probes and load balancers. The status is 503 while the node must not receive traffic; `reasons` says why.',
      example: { command: 'waypost status' },
      response: Type.Object({
        ...healthResponse.properties,
        reasons: list(Type.String(), 'why the node is not ready'),
        warnings: list(
          Type.String(),
          'problems that do not stop the node from serving, such as an etcd that does not respond',
        ),
        cluster: Type.Optional(clusterResponse),
        backup: Type.Optional(backupResponse),
      }),
      faults: { 503: [] },
      run({ headers }) {
        const { ok, reasons, warnings, cluster, backup } = ready();
        headers['Content-Type'] = 'application/json';
        return {
          raw: JSON.stringify({
            ok,
            node: nodeName,
            reasons,
            warnings,
            ...(cluster && shown(cluster)),
            ...(backup && { backup }),
          }),
          status: ok ? 200 : 503,
        };
      },
    }),
  ];
}

function shown({ state, lagEntries, lagSeconds, etcdSeconds, agreedLevel, pending }: Standing): { cluster: object } {
  const tenth = (seconds: number): number => Math.round(seconds * 10) / 10;
  return {
    cluster: {
      state,
      lag_entries: lagEntries,
      lag_seconds: tenth(lagSeconds),
      etcd_seconds: etcdSeconds === null ? null : tenth(etcdSeconds),
      feature_level: agreedLevel,
      pending,
    },
  };
}
