/**
 * Forwards gRPC calls over HTTP/2 on both sides, with trailers in both directions. Request and
 * response stream at the same time, so the request is not buffered.
 *
 * gRPC is refused unless both sides use HTTP/2. gRPC-Web needs neither HTTP/2 nor trailers and is
 * forwarded like any other request.
 */
import { fieldValue, withoutFields } from '../cache/rules/fields.ts';
import type { Done } from '../cache/visit.ts';
import { ReadyAnswer } from '../http/exchange/ready-answer.ts';
import type { OriginResponse } from '../origin/origin.ts';
import { isHttp2 } from '../origin/origin-address.ts';
import { timeoutOf } from './grpc.ts';
import { NO_GRPC } from './pages.ts';
import type { Passage } from './passage.ts';
import { bodyForOrigin } from './request-body.ts';

export function serveGrpc(passage: Passage): Done {
  const { exchange } = passage;
  if (exchange.version !== '2' || !isHttp2(passage.origin)) return passage.refuse(NO_GRPC);
  exchange.expectSilence?.();
  passage.isConversation = true;
  passage.deadlineMs = timeoutOf(exchange.headers);
  const fields = passage.fieldsForOrigin('');
  if (fields === undefined) return;
  const body = bodyForOrigin(exchange.body, true, passage.site.changes);
  return passage.fetch(
    'POST',
    fieldValue(fields, 'te') === undefined ? [...fields, 'te', 'trailers'] : fields,
    body,
    '',
    {
      onResponse: (response) => respondGrpc(passage, response),
      onFailure: (error) => {
        body.discard();
        return passage.respondFailure(error);
      },
    },
  );
}

/** Fields that the HTTP layer adds to each ready answer. */
const ADDED_FIELDS: ReadonlySet<string> = new Set(['content-length', 'date']);

function respondGrpc(passage: Passage, { status, headers, body }: OriginResponse): Done {
  const fields = passage.visitorFields(headers);
  if (body.length !== 0) return passage.respond(status, fields, body);
  // Trailers-Only: one HEADERS frame that ends the stream.
  return passage.sendReady(new ReadyAnswer(status, withoutFields(fields, ADDED_FIELDS), NO_BYTES));
}

const NO_BYTES = new Uint8Array(0);
