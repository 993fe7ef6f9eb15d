/** The thread that identifies the app of a package. */
import { DEFAULT_LIMITS } from '../audit/archive/limits.ts';
import { openArchive } from '../audit/archive/open-archive.ts';
import { Findings } from '../audit/findings.ts';
import { auditManifest } from '../audit/manifest/audit-manifest.ts';
import type { AuditTask, Identified } from './audit-task.ts';
import { readIcon, readListing } from './listing.ts';

export default async function identify({ path, maxBytes }: AuditTask): Promise<Identified> {
  const findings = new Findings();
  const content = await openArchive(path, { ...DEFAULT_LIMITS, archiveBytes: maxBytes }, findings);
  if (content === undefined) return unreadable(findings);
  try {
    const manifest = await auditManifest(content.files, findings);
    const { id, name = null, version, versionCode } = manifest ?? {};
    if (manifest === undefined || id === undefined || version === undefined || versionCode === undefined)
      return unreadable(findings);
    const icon = await readIcon(manifest.icon === undefined ? undefined : content.files.get(manifest.icon));
    return { kind: 'identified', facts: { id, name, version, versionCode, listing: readListing(manifest), icon } };
  } finally {
    await content.close();
  }
}

function unreadable(findings: Findings): Identified {
  const errors = findings.list().filter(({ type }) => type === 'error');
  const faults = errors.map(({ code, message, file, line, fix }) => ({ code, message, file, line, fix }));
  return { kind: 'unreadable', faults };
}
