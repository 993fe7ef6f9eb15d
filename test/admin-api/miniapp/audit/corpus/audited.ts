/** Audits of packages that stand in memory. */
import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS, type PackageLimits } from '../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { openArchiveBytes } from '../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { type Audit, auditContent } from '../../../../../admin-api/miniapp/audit/audit.ts';
import type { PackageFile } from '../../../../../admin-api/miniapp/audit/content.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import type { Sdk } from '../../../../../admin-api/miniapp/sdk/trust.ts';
import type { CorpusContent } from './corpus-case.ts';
import { SDK } from './small-app.ts';

export const SDKS: readonly Sdk[] = [{ version: '1.4.0', sha256: createHash('sha256').update(SDK).digest('hex') }];

/** Undefined: the archive cannot be opened. */
export async function audited(
  content: CorpusContent,
  sdks: readonly Sdk[] = SDKS,
  limits: PackageLimits = DEFAULT_LIMITS,
): Promise<Omit<Audit, 'readable'>> {
  const findings = new Findings();
  if (!(content instanceof Uint8Array))
    return auditContent({ files: filesOf(content), close: async () => {} }, findings, { sdks });
  const opened = await openArchiveBytes(Buffer.from(content), limits, findings);
  if (opened !== undefined) return auditContent(opened, findings, { sdks });
  return { manifest: undefined, findings: findings.list(), summary: findings.summary(), verdict: 'rejected' };
}

const filesOf = (content: Readonly<Record<string, string | Uint8Array>>): ReadonlyMap<string, PackageFile> =>
  new Map(
    Object.entries(content).map(([path, value]) => {
      const bytes = Buffer.from(value as string);
      return [path, { path, size: bytes.length, read: async () => bytes }];
    }),
  );
