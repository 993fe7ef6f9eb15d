/** Passes the visitor's request body to an origin, with filtered trailers. */
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { requestTrailers } from './request-fields.ts';

/**
 * Over HTTP/1.1 a body with a content-length has no trailers, because trailers need the chunked
 * coding. It is passed unchanged.
 */
export const bodyForOrigin = (body: RequestBody, isHttp2: boolean): RequestBody =>
  body.length === 0 || (body.length !== undefined && !isHttp2) ? body : new PassedBody(body);

class PassedBody implements RequestBody {
  readonly length: number | undefined;
  readonly flow: ((sink: BodySink) => BodyFlow) | undefined;
  readonly #body: RequestBody;

  constructor(body: RequestBody) {
    this.#body = body;
    this.length = body.length;
    this.flow = body.flow?.bind(body);
  }

  read(): Promise<Uint8Array | null> {
    return this.#body.read();
  }

  discard(): void {
    this.#body.discard();
  }

  get trailers(): FieldList {
    return requestTrailers(this.#body.trailers);
  }
}
