/** Traces of requests that write. */
import type { WriteTraces } from '../../core/traces/write-traces.ts';
import { isOverTls } from './over-tls.ts';
import type { ServedRoute } from './route.ts';
import type { HttpRequest } from './transport.ts';

export interface Tracing {
  readonly traces: Pick<WriteTraces, 'start' | 'end'>;
  /** Whether an address belongs to a proxy whose statements are trusted. */
  trusts(address: string): boolean;
}

export const isWrite = ({ method, changes }: Pick<ServedRoute, 'method' | 'changes'>): boolean =>
  method !== 'GET' && changes !== false;

/** `isForwarded`: by the edge of this node, which sends no traceparent but its own. */
export function traceWrite(
  { traces, trusts }: Tracing,
  request: HttpRequest,
  { path: route }: Pick<ServedRoute, 'path'>,
  requestId: string,
  isForwarded: boolean,
): void {
  const { method, path, remoteAddress } = request;
  const scheme = isOverTls(request) ? 'https' : 'http';
  const context = {
    traceParent: request.header('traceparent') ?? '',
    traceState: request.header('tracestate') ?? '',
  };
  const isTrusted = isForwarded || trusts(remoteAddress);
  traces.start({ requestId, method, path, route, remoteAddress, scheme, context, isTrusted });
}
