/** What a host is started with. */
import type { Http1Limits } from '../../../../edge/http/http1/limits.ts';
import type { Http2Limits } from '../../../../edge/http/http2/limits.ts';
import type { ServerLimits } from '../../../../edge/http/server/limits.ts';
import type { HostData } from './application.ts';

/** Limits that are left out are the defaults. */
export interface LimitOptions {
  readonly server?: Partial<ServerLimits>;
  readonly http1?: Partial<Http1Limits>;
  readonly http2?: Partial<Http2Limits>;
}

export interface HostOptions extends LimitOptions {
  readonly data: HostData;
  /** Of the pool's; "auto" if left out. */
  readonly tls?: 'auto' | 'node';
}
