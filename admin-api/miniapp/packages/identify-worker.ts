/** The thread that identifies the app of a package, and reads what lists show of it. */
import { DEFAULT_LIMITS } from '../audit/archive/limits.ts';
import { openArchive } from '../audit/archive/open-archive.ts';
import type { PackageFile } from '../audit/content.ts';
import { Findings } from '../audit/findings.ts';
import { auditManifest } from '../audit/manifest/audit-manifest.ts';
import { MOST_BYTES, pictureOf } from '../audit/manifest/icon.ts';
import type { Manifest } from '../audit/manifest/manifest.ts';
import type { AuditTask, FoundIcon, Identified, PackageFacts } from './audit-task.ts';

const TYPES = { PNG: 'image/png', JPEG: 'image/jpeg', WebP: 'image/webp' } as const;

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

/** Reads from a package what the store shows of it. */
function readListing(manifest: Manifest): PackageFacts['listing'] {
  const { name, description = null, category = null, minHostVersion, permissions, background } = manifest;
  if (name === undefined || minHostVersion === undefined) return null;
  const backgroundPermissions = background?.enabled ? background.permissions : [];
  return { name, description, category, minHostVersion, permissions, backgroundPermissions };
}

/** The type is that of the content, so that no other content is served as an image. */
async function readIcon(file: PackageFile | undefined): Promise<FoundIcon | null> {
  if (file === undefined || file.size > MOST_BYTES) return null;
  const bytes = await file.read();
  const picture = bytes === undefined || bytes.length > MOST_BYTES ? undefined : pictureOf(bytes);
  if (bytes === undefined || picture?.size === undefined) return null;
  return { type: TYPES[picture.format], bytes: Uint8Array.from(bytes) };
}
