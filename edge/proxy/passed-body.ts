/** Passes the visitor's request body to an origin, with filtered trailers. */
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { requestTrailers } from './request-fields.ts';

/**
 * Over HTTP/1.1 a body with a content-length has no trailers, because trailers need the chunked
 * coding. It is passed unchanged.
 */
export function bodyForOrigin(body: RequestBody, isHttp2: boolean): RequestBody {
  if (body.length === 0 || (body.length !== undefined && !isHttp2)) return body;
  return isFlowing(body) ? new FlowingBody(body) : new PassedBody(body);
}

type Flowing = RequestBody & { flow(sink: BodySink): BodyFlow };

const isFlowing = (body: RequestBody): body is Flowing => body.flow !== undefined;

class PassedBody<Body extends RequestBody> implements RequestBody {
  readonly length: number | undefined;
  protected readonly body: Body;

  constructor(body: Body) {
    this.body = body;
    this.length = body.length;
  }

  read(): Promise<Uint8Array | null> {
    return this.body.read();
  }

  discard(): void {
    this.body.discard();
  }

  get trailers(): FieldList {
    return requestTrailers(this.body.trailers);
  }
}

class FlowingBody extends PassedBody<Flowing> {
  flow(sink: BodySink): BodyFlow {
    return this.body.flow(sink);
  }
}
