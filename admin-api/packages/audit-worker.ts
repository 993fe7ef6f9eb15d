/** The thread that audits packages: so far archive and manifest; whether the rest is sound a person has to say. */
import { DEFAULT_LIMITS } from '../../core/packages/archive/limits.ts';
import { openArchive } from '../../core/packages/archive/open-archive.ts';
import { Findings } from '../../core/packages/findings.ts';
import { auditManifest } from '../../core/packages/manifest/audit-manifest.ts';
import type { Audited, AuditTask } from './audit-task.ts';
import { packFindings } from './report.ts';

export default async function audit({ path, maxBytes }: AuditTask): Promise<Audited> {
  const findings = new Findings();
  const content = await openArchive(path, { ...DEFAULT_LIMITS, archiveBytes: maxBytes }, findings);
  if (content !== undefined) await auditManifest(content.files, findings);
  await content?.close();
  const { packed, omitted } = packFindings(findings.list());
  const summary = findings.summary();
  const verdict = summary.errors > 0 ? 'rejected' : 'in_review';
  return { verdict, summary: { ...summary, omitted: summary.omitted + omitted }, findings: packed };
}
