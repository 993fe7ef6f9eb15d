/** Whether the process lives, and whether it serves. */
import { Type } from '@sinclair/typebox';
import type { Readiness } from '../core/cluster/readiness.ts';
import { STATES, type Standing } from '../core/cluster/standing.ts';
import { publicRoute, type Route } from './http/route.ts';
import { list, text } from './http/schema.ts';

const healthAnswer = Type.Object({ node: text('the name of the node') });

const clusterAnswer = Type.Object(
  {
    state: Type.Union(
      STATES.map((state) => Type.Literal(state)),
      { description: 'what it does' },
    ),
    lag_entries: Type.Integer({ description: 'changes that others are known to have and it has not applied' }),
    lag_seconds: Type.Number({ description: 'for so long others may have known more than it serves' }),
    etcd_seconds: Type.Union([Type.Number(), Type.Null()], { description: 'since etcd has answered' }),
    pending: list(Type.String(), 'nodes that have not applied all that this one has'),
  },
  { description: 'how it stands to the other nodes; left out when there are none' },
);

export function healthRoutes(ready: () => Readiness, nodeName: string): Route[] {
  return [
    publicRoute({
      operationId: 'getHealth',
      method: 'GET',
      path: '/healthz',
      tag: 'operations',
      summary: 'Whether the process lives',
      answer: healthAnswer,
      run: () => ({ node: nodeName }),
    }),
    publicRoute({
      operationId: 'getReadiness',
      method: 'GET',
      path: '/readyz',
      tag: 'operations',
      summary: 'Whether it serves: all changes applied, all listeners open',
      answer: Type.Object({
        ...healthAnswer.properties,
        reasons: list(Type.String(), 'what is not ready yet'),
        warnings: list(
          Type.String(),
          'what is wrong and does not keep it from serving, such as that etcd does not answer',
        ),
        cluster: Type.Optional(clusterAnswer),
      }),
      faults: { 503: [] },
      run({ headers }) {
        const { ok, reasons, warnings, cluster } = ready();
        headers['Content-Type'] = 'application/json';
        headers['Cache-Control'] = 'no-store';
        return {
          raw: JSON.stringify({ ok, node: nodeName, reasons, warnings, ...(cluster && shown(cluster)) }),
          status: ok ? 200 : 503,
        };
      },
    }),
  ];
}

function shown({ state, lagEntries, lagSeconds, etcdSeconds, pending }: Standing): { cluster: object } {
  const tenth = (seconds: number): number => Math.round(seconds * 10) / 10;
  return {
    cluster: {
      state,
      lag_entries: lagEntries,
      lag_seconds: tenth(lagSeconds),
      etcd_seconds: etcdSeconds === null ? null : tenth(etcdSeconds),
      pending,
    },
  };
}
