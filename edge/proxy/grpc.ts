/**
 * gRPC (grpc/doc/PROTOCOL-HTTP2.md) is not passed on: it needs HTTP/2 to the origin, and trailers. Its clients show an answer of another protocol as a bare status, so over HTTP/2
 * the refusal is one of gRPC. gRPC-Web needs neither, and is passed on as any other request.
 */
import { fieldValue } from '../cache/rules/fields.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import { NO_GRPC } from './pages.ts';

/** `application/grpc`, alone or with the format of its messages; `application/grpc-web` is another protocol. */
const GRPC = /^application\/grpc(?:$|[+; \t])/i;

/** Every call is a POST. */
export const isGrpc = ({ method, headers }: Exchange): boolean =>
  method === 'POST' && GRPC.test(fieldValue(headers, 'content-type') ?? '');

/**
 * Trailers-Only: the status UNIMPLEMENTED and its message in the one HEADERS frame that ends the stream. A message is percent-encoded; ASCII without "%" is its own encoding.
 */
export const GRPC_UNIMPLEMENTED = new ReadyAnswer(
  200,
  [
    ...['content-type', 'application/grpc', 'grpc-status', '12'],
    ...['grpc-message', `${NO_GRPC.visitor} ${NO_GRPC.owner}`, 'server', 'waypost'],
  ],
  new Uint8Array(0),
);
