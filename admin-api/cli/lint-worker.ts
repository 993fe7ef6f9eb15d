/** The thread in which `waypost pkg lint` audits: what a package makes of its audit ends the thread, not the command. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Audit } from '../../core/miniapp/audit.ts';
import type { Sdk } from '../../core/miniapp/sdk/sdk.ts';
import { loadAudit } from './audit-program.ts';

export interface LintTask {
  readonly path: string;
  readonly sdks: readonly Sdk[];
}

/** An Error on its way between threads loses its code. */
export type Linted = { readonly audit: Audit } | { readonly error: Error; readonly code: string | undefined };

const { path, sdks } = workerData as LintTask;
const linted: Linted = await loadAudit()
  .then(({ auditPackage }) => auditPackage(path, { sdks }))
  .then(
    (audit) => ({ audit }),
    (error: NodeJS.ErrnoException) => ({ error, code: error.code }),
  );
parentPort?.postMessage(linted);
