/**
 * The worker thread of `waypost pkg lint`: a package that crashes its audit ends only the thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Audit } from '../../miniapp/audit/audit.ts';
import type { Sdk } from '../../miniapp/sdk/trust.ts';
import { loadAudit } from './audit-program.ts';

export interface LintTask {
  readonly path: string;
  readonly sdks: readonly Sdk[];
}

/** An Error loses its code when it is sent between threads, so the code is separate. */
export type Linted = { readonly audit: Audit } | { readonly error: Error; readonly code: string | undefined };

const { path, sdks } = workerData as LintTask;
void loadAudit()
  .then(({ auditPackage }) => auditPackage(path, { sdks }))
  .then(
    (audit): Linted => ({ audit }),
    (error: NodeJS.ErrnoException): Linted => ({ error, code: error.code }),
  )
  .then((linted) => parentPort?.postMessage(linted));
