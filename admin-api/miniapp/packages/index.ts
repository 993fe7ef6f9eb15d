/** Creates the package service from its parts. */
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { BlobSource } from '../../../core/cluster/blobs/store.ts';
import type { Services } from '../../change/services.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import { packageAdminRoutes } from './admin-routes.ts';
import { AuditPool } from './audit-pool.ts';
import type { Audited, Identified } from './audit-task.ts';
import { Auditor } from './auditor.ts';
import { packageMetrics } from './metrics.ts';
import { PackageBlobs } from './package-blobs.ts';
import { policyRoute } from './policy.ts';
import { packageRoutes, rulesRoute } from './routes.ts';
import { sdkRoutes } from './sdk-routes.ts';
import { Catalog } from './store/catalog.ts';
import { StoreKeys } from './store/keys.ts';
import { type StoreParts, storeKeyRoutes, storeRoutes } from './store/routes.ts';
import type { Intake } from './submit.ts';

/** Programs of the audit threads. */
export interface AuditPrograms {
  readonly identify: URL;
  readonly audit: URL;
}

export interface Packages {
  readonly routes: ReturnType<typeof routesOf>;
  /** Deletes unused blobs: see PackageBlobs. */
  tidy(before?: number): Promise<void>;
  start(): void;
  /** Stops all audits. */
  stop(): Promise<void>;
}

const PROGRAMS: AuditPrograms = {
  identify: new URL('./identify-worker.js', import.meta.url),
  audit: new URL('./audit-worker.js', import.meta.url),
};

const HOUR = 3600;
const MINUTE = 60;
/** Milliseconds to identify a package; the upload waits for it. */
const IDENTIFY_TIMEOUT = 15_000;

export function createPackages(
  services: Services,
  source: BlobSource,
  registry: Registry,
  programs: AuditPrograms = PROGRAMS,
): Packages {
  const { auditThreads, auditTimeout, auditMemory: memory, uploadRateLimit, storeRateLimit } = services.config.packages;
  const blobs = new PackageBlobs(services, source);
  const audits = new AuditPool<Audited>({
    program: programs.audit,
    threads: auditThreads,
    timeout: auditTimeout,
    memory,
  });
  const identities = new AuditPool<Identified>({
    program: programs.identify,
    threads: 1,
    timeout: IDENTIFY_TIMEOUT,
    memory,
  });
  const auditor = new Auditor(services, blobs, audits, packageMetrics(registry));
  const limit = new RateLimit('upload', uploadRateLimit, HOUR);
  const keys = new StoreKeys(services);
  const catalog = new Catalog(services.reader, (listener) => services.journal.onApps(listener));
  const requests = new RateLimit('store', storeRateLimit, MINUTE);
  return {
    routes: routesOf({ services, blobs, auditor, identities, limit }, { services, blobs, keys, catalog, requests }),
    tidy: (before) => blobs.tidy(before),
    start() {
      auditor.start();
      blobs.start();
      keys.start();
    },
    async stop() {
      await identities.close();
      await auditor.stop();
      await blobs.stop();
      await keys.stop();
    },
  };
}

/** Builds describe the routes without services. */
export const routesOf = (intake: Intake, store: StoreParts) => [
  ...packageRoutes(intake),
  ...packageAdminRoutes(intake.services, intake.blobs),
  ...storeRoutes(store),
  ...storeKeyRoutes(store.keys),
  ...sdkRoutes(intake.services.config.packages),
  rulesRoute(),
  policyRoute(),
];
