/** The thread that audits packages. */
import { DEFAULT_LIMITS } from '../audit/archive/limits.ts';
import { auditPackage } from '../audit/audit.ts';
import type { Audited, AuditTask } from './audit-task.ts';
import { packFindings } from './report.ts';

export default async function audit({ path, maxBytes, sdks }: AuditTask): Promise<Audited> {
  const limits = { ...DEFAULT_LIMITS, archiveBytes: maxBytes };
  const { verdict, summary, findings } = await auditPackage(path, { limits, sdks });
  const { packed, omitted } = packFindings(findings);
  return { verdict, summary: { ...summary, omitted: summary.omitted + omitted }, findings: packed };
}
