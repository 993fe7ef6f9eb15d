/** Traces of requests that write. */
import type { WriteTraces } from '../../core/observe/traces/write-traces.ts';
import { isOverTls } from './over-tls.ts';
import type { ServedRoute } from './route.ts';
import type { HttpRequest } from './transport.ts';

export interface Tracing {
  readonly traces: Pick<WriteTraces, 'start' | 'end'>;
}

export const isWrite = ({ method, changes }: Pick<ServedRoute, 'method' | 'changes'>): boolean =>
  method !== 'GET' && changes !== false;

/** `isTrusted`: the edge or a trusted proxy sent it, whose traceparent holds. */
export function traceWrite(
  { traces }: Tracing,
  request: HttpRequest,
  { path: route }: Pick<ServedRoute, 'path'>,
  requestId: string,
  isTrusted: boolean,
): void {
  const { method, path, remoteAddress } = request;
  const scheme = isOverTls(request) ? 'https' : 'http';
  const context = {
    traceParent: request.header('traceparent') ?? '',
    traceState: request.header('tracestate') ?? '',
  };
  traces.start({ requestId, method, path, route, remoteAddress, scheme, context, isTrusted });
}
