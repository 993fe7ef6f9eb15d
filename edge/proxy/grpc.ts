/**
 * Detects gRPC (grpc/doc/PROTOCOL-HTTP2.md), and reports failures of the edge as gRPC: with
 * Trailers-Only before a response has started, with trailers afterwards. gRPC clients report an
 * HTTP error page only as a bare status.
 */
import { fieldValue } from '../cache/rules/fields.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import { OriginError } from '../origin/origin.ts';
import type { ErrorPage } from '../sites/error-page.ts';

/** Codes of grpc/doc/statuscodes.md. */
const STATUS = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/**
 * Matches `application/grpc`, alone or with a message format. `application/grpc-web` is a different
 * protocol.
 */
const GRPC = /^application\/grpc(?:$|[+; \t])/i;

/** All gRPC calls use POST. */
export const isGrpc = ({ method, headers }: Exchange): boolean =>
  method === 'POST' && GRPC.test(fieldValue(headers, 'content-type') ?? '');

/** Whether the client understands gRPC status fields. */
const readsGrpcStatus = (exchange: Exchange): boolean => exchange.version === '2' && isGrpc(exchange);

/** Body of a Trailers-Only response. */
const NO_BYTES = new Uint8Array(0);

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000001 };

/** Milliseconds of `grpc-timeout`: at most eight digits and a unit. Undefined: no deadline. */
export function timeoutOf(headers: FieldList): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(fieldValue(headers, 'grpc-timeout') ?? '');
  return match === null ? undefined : Math.ceil(Number(match[1]) * UNITS[match[2]]);
}

/** The failure as a gRPC response. Undefined: the client does not use gRPC. */
export function grpcRefusal(exchange: Exchange, page: ErrorPage, error: OriginError | null): ReadyAnswer | undefined {
  if (!readsGrpcStatus(exchange)) return undefined;
  const status = error === null ? statusOfPage(page.status) : statusOfFault(error);
  const fields = ['content-type', 'application/grpc', ...statusFields(status, `${page.visitor} ${page.owner}`)];
  return new ReadyAnswer(200, [...fields, 'server', 'waypost'], NO_BYTES);
}

/** Trailers for a response that ends prematurely. Undefined: the client does not use gRPC. */
export function grpcEnding(exchange: Exchange, error: unknown): FieldList | undefined {
  if (!(error instanceof OriginError) || !readsGrpcStatus(exchange)) return undefined;
  return statusFields(statusOfFault(error), 'The response of the origin broke off.');
}

const statusFields = (status: number, message: string): string[] => [
  'grpc-status',
  `${status}`,
  'grpc-message',
  encodeMessage(message),
];

/** Percent-encodes all characters except printable ASCII, and "%". */
const encodeMessage = (message: string): string => message.replace(/[^ -$&-~]+/gu, (text) => encodeURIComponent(text));

/** gRPC status by the RST_STREAM code of the origin. */
const RESET_STATUS: Readonly<Record<number, number>> = {
  7: STATUS.unavailable, // REFUSED_STREAM
  8: STATUS.cancelled, // CANCEL
  11: STATUS.resourceExhausted, // ENHANCE_YOUR_CALM
  12: STATUS.permissionDenied, // INADEQUATE_SECURITY
};

function statusOfFault({ fault, code }: OriginError): number {
  if (code >= 0) return RESET_STATUS[code] ?? STATUS.internal;
  switch (fault) {
    case 'header-timeout':
    case 'idle-timeout':
    case 'slow-body':
      return STATUS.deadlineExceeded;
    case 'malformed':
      return STATUS.internal;
    case 'aborted':
      return STATUS.cancelled;
    default:
      return STATUS.unavailable;
  }
}

/** Based on grpc/doc/http-grpc-status-mapping.md, with a more exact status for edge failures. */
const PAGE_STATUS: Readonly<Record<number, number>> = {
  400: STATUS.internal,
  401: STATUS.unauthenticated,
  403: STATUS.permissionDenied,
  404: STATUS.unimplemented,
  408: STATUS.deadlineExceeded,
  413: STATUS.resourceExhausted,
  429: STATUS.resourceExhausted,
  501: STATUS.unimplemented,
  502: STATUS.unavailable,
  503: STATUS.unavailable,
  504: STATUS.deadlineExceeded,
  508: STATUS.internal,
};

const statusOfPage = (status: number): number => PAGE_STATUS[status] ?? STATUS.unknown;
