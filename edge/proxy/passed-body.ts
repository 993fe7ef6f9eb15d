/** The body of a request as an origin gets it: the visitor's, but for its trailers. */
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { requestTrailers } from './request-fields.ts';

/** One that ends where its content-length says is passed on without trailers: they are part of the chunked coding. */
export const passedBody = (body: RequestBody): RequestBody => (body.length === undefined ? new PassedBody(body) : body);

class PassedBody implements RequestBody {
  readonly length = undefined;
  readonly flow: ((sink: BodySink) => BodyFlow) | undefined;
  readonly #body: RequestBody;

  constructor(body: RequestBody) {
    this.#body = body;
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
