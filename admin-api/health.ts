/** Whether the process lives, and whether it serves. */
import { publicRoute, type Route } from './http/app.ts';

export interface Readiness {
  readonly ok: boolean;
  /** What is not ready yet. */
  readonly reasons: readonly string[];
}

export function healthRoutes(ready: () => Readiness, nodeName: string | undefined): Route[] {
  return [
    publicRoute({ method: 'GET', path: '/healthz', run: () => ({ node: nodeName }) }),
    publicRoute({
      method: 'GET',
      path: '/readyz',
      run({ headers }) {
        const { ok, reasons } = ready();
        headers['Content-Type'] = 'application/json';
        headers['Cache-Control'] = 'no-store';
        return { raw: JSON.stringify({ ok, node: nodeName, reasons }), status: ok ? 200 : 503 };
      },
    }),
  ];
}
