/**
 * Traces of writes to the API: one span for each request, with children for the commit to the
 * journal and for the wait for other nodes.
 */

import { type FinishedSpan, methodAttribute, type SpanAttributes, type StartedSpan, spanTime } from './span.ts';
import { newSpanId, parentOf, RatioSampler, type RemoteContext, startSpan } from './trace-context.ts';

export interface WriteRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The path template of the route. */
  readonly route: string;
  readonly remoteAddress: string;
  readonly scheme: 'http' | 'https';
  readonly context: RemoteContext;
  /** Whether the client's trace is continued. */
  readonly isTrusted: boolean;
}

/** One sampled write. */
class WriteTrace {
  constructor(
    private readonly record: (span: FinishedSpan) => void,
    private readonly request: WriteRequest,
    private readonly span: StartedSpan,
  ) {}

  /** Call it when the journal receives a commit. */
  startCommit(): CommitTrace {
    return new CommitTrace((name, start, end, attributes, isError) =>
      this.#child(name, start, end, attributes, isError),
    );
  }

  end(status: number, revision: string | undefined): void {
    const { method, path, route, scheme, remoteAddress, requestId } = this.request;
    const isError = status >= 500;
    this.record({
      ...this.span,
      name: `${methodAttribute(method)} ${route}`,
      kind: 'server',
      end: spanTime(),
      attributes: {
        'http.request.method': methodAttribute(method),
        'http.route': route,
        'http.response.status_code': status,
        'url.path': path,
        'url.scheme': scheme,
        'client.address': remoteAddress,
        'waypost.request_id': requestId,
        ...(revision === undefined ? {} : { 'waypost.revision': Number(revision) }),
        ...(isError ? { 'error.type': String(status) } : {}),
      },
      isError,
    });
  }

  #child(name: string, start: number, end: number, attributes: SpanAttributes, isError: boolean): void {
    const { traceId, spanId, traceState } = this.span;
    this.record({
      traceId,
      spanId: newSpanId(),
      parentId: spanId,
      isParentRemote: false,
      traceState,
      link: null,
      name,
      kind: 'internal',
      start,
      end,
      attributes,
      isError,
    });
  }
}

type RecordChild = (name: string, start: number, end: number, attributes: SpanAttributes, isError: boolean) => void;

/** One commit of a write; a commit that conflicts is followed by another. */
class CommitTrace {
  readonly #start = spanTime();
  /** Time at which this node applied the entry; 0: not applied yet. */
  #appliedAt = 0;

  constructor(private readonly record: RecordChild) {}

  /** Call it when this node has applied the entry and waits for other nodes. */
  readonly applied = (): void => {
    this.#appliedAt = spanTime();
  };

  end(sequence: number): void {
    const now = spanTime();
    const attributes = { 'waypost.sequence': sequence };
    this.record('journal commit', this.#start, this.#appliedAt || now, attributes, false);
    if (this.#appliedAt !== 0) this.record('replication wait', this.#appliedAt, now, attributes, false);
  }

  /** `code`: of the error, such as `conflict`. */
  fail(code: string): void {
    this.record('journal commit', this.#start, spanTime(), { 'error.type': code }, true);
  }
}

export class WriteTraces {
  readonly #record: (span: FinishedSpan) => void;
  readonly #sampler: RatioSampler;
  /** Sampled writes by request id. */
  readonly #active = new Map<string, WriteTrace>();

  constructor(traces: { record(span: FinishedSpan): void; readonly writeRatio: number }) {
    this.#record = (span) => traces.record(span);
    this.#sampler = new RatioSampler(traces.writeRatio);
  }

  /** Call it at the start of each write; `end` for each as well. */
  start(request: WriteRequest): void {
    const parent = parentOf(request.context);
    // Parent-based: the decision of a trusted parent holds.
    const isSampled = parent !== null && request.isTrusted ? parent.isSampled : this.#sampler.isNextSampled();
    if (!isSampled) return;
    const span = startSpan(parent, request.context.traceState, request.isTrusted, spanTime());
    this.#active.set(request.requestId, new WriteTrace(this.#record, request, span));
  }

  /** Undefined: the request is not sampled. */
  of(requestId: string): WriteTrace | undefined {
    return this.#active.get(requestId);
  }

  /** `revision`: of the change; undefined: nothing was changed. */
  end(requestId: string, status: number, revision: string | undefined): void {
    const trace = this.#active.get(requestId);
    if (trace === undefined) return;
    this.#active.delete(requestId);
    trace.end(status, revision);
  }
}
