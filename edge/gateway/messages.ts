/** Messages between the main thread and the applications of the threads. */
import type { Config } from '../../core/config/index.ts';
import type { FinishedSpan } from '../../core/observe/traces/span.ts';
import type { RequestSampling } from '../../core/observe/traces/traces.ts';
import type { DomainLines } from '../../core/site/logs/deliverer.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import type { CacheHandle, CacheStats } from '../cache/store/cache-store.ts';
import type { FromStaples, StapleFetched } from '../certificates/ocsp/staples.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import type { OriginFault } from '../origin/origin.ts';
import type { EdgeAddress } from '../peers/cache-peers.ts';
import type { PeerIdentity } from '../peers/identity.ts';
import type { SharedSiteCounts } from '../policy/fairness/site-connections.ts';
import type { RuleCounts } from '../policy/rules/counts.ts';
import type { SitesChanged } from '../sites/sites.ts';
import type { AdminTarget } from './admin.ts';
import type { DomainSample } from './tail-sampler.ts';

/** The data that a thread needs for requests to and from peers. */
export interface PeerData {
  readonly identity: PeerIdentity;
  readonly positions: SharedArrayBuffer;
  readonly invalidations: SharedArrayBuffer;
  /** The other nodes that serve. */
  readonly others: readonly EdgeAddress[];
}

/** The initial data of a thread's application. */
export interface GatewayData {
  /** Directory of the store. */
  readonly storeDirectory: string;
  readonly zoneSettings: ZoneSettings;
  /** File with the key that encrypts private keys. */
  readonly keyFile: string;
  readonly edge: Config['edge'];
  /** The region of this node; empty: none. */
  readonly region: string;
  /** Whether ordered RSA certificates are served. */
  readonly servesOrderedRsa: boolean;
  /** The shared parts of the cache. */
  readonly cache: CacheHandle;
  readonly adminHosts: readonly string[];
  readonly nodeName: string;
  /** Whether responses are counted for each site's statistics. */
  readonly countsSites: boolean;
  /** Certificate of the admin hosts. Null: the certificate in the store. */
  readonly adminCertificate: TlsCertificate | null;
  /** From files, for clients without a server name or with an unknown one. Null: no files. */
  readonly defaultCertificate: TlsCertificate | null;
  readonly adminTarget: AdminTarget;
  /** Null: the cache is not shared with other nodes. */
  readonly peers: PeerData | null;
  /** Null: traces are off. */
  readonly traces: RequestSampling | null;
  /** Counts of each site's connections, shared by all threads. */
  readonly siteConnections: SharedSiteCounts;
  /** Claims of purged responses that threads prefetch (prefetcher.ts). */
  readonly prefetches: SharedArrayBuffer;
  /** Counts of rate limits (edge/policy/rules/rate-table.ts). */
  readonly rates: SharedArrayBuffer;
  /** The country database; null: none. */
  readonly countries: SharedArrayBuffer | null;
  /** The load level of the process; null: it is not monitored. */
  readonly load: SharedArrayBuffer | null;
  readonly httpPorts: readonly number[];
  /** Null: HTTPS is off. */
  readonly httpsPort: number | null;
}

export type ToGateway =
  | { readonly kind: 'sites'; readonly changed: SitesChanged }
  /** The domains whose requests are sampled. */
  | { readonly kind: 'watched'; readonly domainIds: readonly string[] }
  /** The other nodes that serve have changed. */
  | { readonly kind: 'peers'; readonly others: readonly EdgeAddress[] }
  /** A new country database. */
  | { readonly kind: 'countries'; readonly content: SharedArrayBuffer }
  | StapleFetched;

export type FromGateway =
  | FromStaples
  /** Complete lines. The writer increments the number in `writtenBatches` afterwards. */
  | { readonly kind: 'access-log'; readonly lines: string; readonly writtenBatches: SharedArrayBuffer }
  /** Finished spans. The receiver increments the number in `taken` afterwards. */
  | { readonly kind: 'spans'; readonly spans: readonly FinishedSpan[]; readonly taken: SharedArrayBuffer }
  | { readonly kind: 'rule-counts'; readonly counts: readonly RuleCounts[] }
  | { readonly kind: 'requests'; readonly samples: readonly DomainSample[] }
  /** Lines of site logs. The receiver increments the number in `processed` afterwards. */
  | { readonly kind: 'log-lines'; readonly lines: readonly DomainLines[]; readonly processed: SharedArrayBuffer }
  /** Statistics of sites. The receiver increments the number in `added` afterwards. */
  | { readonly kind: 'site-counts'; readonly counts: Float64Array; readonly added: SharedArrayBuffer }
  /** Sent periodically. `worker`: the id of the thread, which is never reused. */
  | { readonly kind: 'cache-stats'; readonly worker: number; readonly stats: CacheStats }
  /** An origin was ejected from its pool. `key`: of its state (core/site/pools/checks.ts). */
  | { readonly kind: 'origin-ejected'; readonly domainId: number; readonly key: string; readonly milliseconds: number }
  /** Requests to an origin of a pool fail; null: it has responded again. */
  | {
      readonly kind: 'origin-fault';
      readonly domainId: number;
      readonly key: string;
      readonly fault: OriginFault | null;
    }
  | {
      readonly kind: 'log';
      readonly message: string;
      readonly fields: { readonly [key: string]: string | number };
    };
