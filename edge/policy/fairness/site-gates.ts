/** Limits on the connections of each site: shares, TLS policy, timeouts and minimum rates. */
import type { SiteProtection, SlowBudget } from '../../../core/site/protection/compile.ts';
import type { Http1Limits } from '../../http/http1/limits.ts';
import type { Http2Limits } from '../../http/http2/limits.ts';
import type { ConnectionGate } from '../../http/server/application.ts';
import type { EdgeLimits } from '../../http/server/limits.ts';
import type { TurnShare } from '../../http/transport/flusher.ts';
import type { SiteConnections } from './site-connections.ts';
import type { SiteTurns } from './site-turns.ts';

type Limits = Pick<EdgeLimits, 'http1' | 'http2'>;

interface SiteGatesOptions {
  readonly connections: SiteConnections;
  readonly turns: Pick<SiteTurns, 'takesConnection' | 'isPressed' | 'enter' | 'leave'>;
  /** Limits of all sites. A site can only make them stricter. */
  readonly limits: Limits;
}

export class SiteGates {
  /** Built once for each protection document. */
  readonly #limits = new WeakMap<SlowBudget, Limits>();

  constructor(private readonly options: SiteGatesOptions) {}

  /** The gate of a new connection. */
  gateOf(domainId: string, protection: SiteProtection | null): ConnectionGate {
    const { connections, turns } = this.options;
    const limits = protection === null ? null : protection.limits;
    const budgets = this.#limitsOf(protection === null ? null : protection.slow);
    const bucket = connections.bucketOf(domainId);
    const maxConnections = limits === null ? Number.POSITIVE_INFINITY : limits.connections;
    let share: TurnShare | null = null;
    return {
      site: domainId,
      policy: protection === null ? null : protection.tls,
      http1: budgets === null ? null : budgets.http1,
      http2: budgets === null ? null : budgets.http2,
      get share() {
        return share;
      },
      get isPressed() {
        return connections.isPressed(bucket, maxConnections) || turns.isPressed(domainId, limits);
      },
      enter() {
        if (!turns.takesConnection(domainId, limits) || !connections.enter(bucket, maxConnections)) return false;
        share = turns.enter(domainId);
        return true;
      },
      leave() {
        connections.leave(bucket);
        turns.leave(domainId);
      },
    };
  }

  #limitsOf(slow: SlowBudget | null): Limits | null {
    if (slow === null) return null;
    const cached = this.#limits.get(slow);
    if (cached !== undefined) return cached;
    const { http1, http2 } = this.options.limits;
    const narrowed = { http1: narrowHttp1(http1, slow), http2: narrowHttp2(http2, slow) };
    this.#limits.set(slow, narrowed);
    return narrowed;
  }
}

const shorter = (all: number, own: number | undefined): number => Math.min(all, own ?? all);
const faster = (all: number, own: number | undefined): number => Math.max(all, own ?? all);

const narrowHttp1 = (limits: Http1Limits, slow: SlowBudget): Http1Limits => ({
  ...limits,
  headerTimeout: shorter(limits.headerTimeout, slow.headerTimeout),
  idleTimeout: shorter(limits.idleTimeout, slow.idleTimeout),
  writeTimeout: shorter(limits.writeTimeout, slow.readTimeout),
  bodyRate: faster(limits.bodyRate, slow.bodyRate),
});

const narrowHttp2 = (limits: Http2Limits, slow: SlowBudget): Http2Limits => ({
  ...limits,
  headerTimeout: shorter(limits.headerTimeout, slow.headerTimeout),
  idleTimeout: shorter(limits.idleTimeout, slow.idleTimeout),
  stallTimeout: shorter(limits.stallTimeout, slow.readTimeout),
  bodyRate: faster(limits.bodyRate, slow.bodyRate),
});
