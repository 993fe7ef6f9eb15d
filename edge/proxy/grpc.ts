/**
 * Refuses gRPC (grpc/doc/PROTOCOL-HTTP2.md), which needs HTTP/2 and trailers to the origin.
 *
 * gRPC clients show a response of another protocol as a bare status. So over HTTP/2 the refusal is
 * a gRPC response. gRPC-Web needs neither HTTP/2 nor trailers and is forwarded like any other
 * request.
 */
import { fieldValue } from '../cache/rules/fields.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import { NO_GRPC } from './pages.ts';

/**
 * Matches `application/grpc`, alone or with a message format. `application/grpc-web` is a different
 * protocol.
 */
const GRPC = /^application\/grpc(?:$|[+; \t])/i;

/** All gRPC calls use POST. */
export const isGrpc = ({ method, headers }: Exchange): boolean =>
  method === 'POST' && GRPC.test(fieldValue(headers, 'content-type') ?? '');

/**
 * A Trailers-Only response: one HEADERS frame with the status UNIMPLEMENTED and the message ends
 * the stream. The message must be percent-encoded; ASCII without "%" needs no change.
 */
export const GRPC_UNIMPLEMENTED = new ReadyAnswer(
  200,
  [
    ...['content-type', 'application/grpc', 'grpc-status', '12'],
    ...['grpc-message', `${NO_GRPC.visitor} ${NO_GRPC.owner}`, 'server', 'waypost'],
  ],
  new Uint8Array(0),
);
