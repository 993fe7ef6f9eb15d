/** What main and the threads' applications say to one another. */
import type { Config } from '../../core/config/index.ts';
import type { ZoneSettings } from '../../core/zone/settings.ts';
import type { CacheHandle, CacheStats } from '../cache/store/cache-store.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import type { SitesChanged } from '../sites/sites.ts';
import type { AdminTarget } from './admin.ts';

/** What a thread's application is made with. */
export interface GatewayData {
  /** Folder of the store. */
  readonly storeDirectory: string;
  readonly zoneSettings: ZoneSettings;
  /** File with the key that private keys are sealed with. */
  readonly keyFile: string;
  readonly edge: Config['edge'];
  /** What the threads share of the cache. */
  readonly cache: CacheHandle;
  readonly adminHosts: readonly string[];
  /** Of the admin hosts; null: what the store has. */
  readonly adminCertificate: TlsCertificate | null;
  readonly adminTarget: AdminTarget;
  readonly httpPorts: readonly number[];
  /** Null: HTTPS is off. */
  readonly httpsPort: number | null;
}

export interface ToGateway {
  readonly kind: 'sites';
  readonly changed: SitesChanged;
}

export type FromGateway =
  /** Whole lines; once they are written, the number in `taken` is raised by one. */
  | { readonly kind: 'access-log'; readonly lines: string; readonly taken: SharedArrayBuffer }
  /** Now and then. `worker`: the thread's id, which no other has had. */
  | { readonly kind: 'cache-stats'; readonly worker: number; readonly stats: CacheStats }
  | {
      readonly kind: 'log';
      readonly message: string;
      readonly fields: { readonly [key: string]: string | number };
    };
