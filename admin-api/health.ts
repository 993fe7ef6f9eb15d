/** Whether the process lives, and whether it serves. */
import { Type } from '@sinclair/typebox';
import { publicRoute, type Route } from './http/route.ts';
import { list, text } from './http/schema.ts';

export interface Readiness {
  readonly ok: boolean;
  /** What is not ready yet. */
  readonly reasons: readonly string[];
}

const healthAnswer = Type.Object({ node: text('the name of the node') });

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
      }),
      faults: { 503: [] },
      run({ headers }) {
        const { ok, reasons } = ready();
        headers['Content-Type'] = 'application/json';
        headers['Cache-Control'] = 'no-store';
        return { raw: JSON.stringify({ ok, node: nodeName, reasons }), status: ok ? 200 : 503 };
      },
    }),
  ];
}
