/**
 * Audits a package. The server and the linter use the same code: the same files, options and rules
 * give the same findings in the same order.
 */
import { stat } from 'node:fs/promises';
import { auditSdk, SDK_FILE } from '../sdk/sdk.ts';
import { type Sdk, trustedSdks } from '../sdk/trust.ts';
import { DEFAULT_LIMITS, type PackageLimits } from './archive/limits.ts';
import { openArchive } from './archive/open-archive.ts';
import { openFolder } from './archive/open-folder.ts';
import { auditBackground } from './background/background.ts';
import type { PackageContent } from './content.ts';
import type { AuditContext } from './context.ts';
import { auditDensity } from './density/density.ts';
import type { Finding } from './finding.ts';
import { Findings, type FindingsSummary } from './findings.ts';
import { auditManifest } from './manifest/audit-manifest.ts';
import type { Manifest } from './manifest/manifest.ts';
import { auditWeb } from './web/audit-web.ts';

export interface AuditOptions {
  readonly limits?: PackageLimits;
  /** All known SDKs; default: the issued ones. If empty, a person reviews host-sdk.js. */
  readonly sdks?: readonly Sdk[];
  /** Never approves a package without a review by a person. */
  readonly alwaysReview?: boolean;
}

export type Verdict = 'approved' | 'in_review' | 'rejected';

export interface Audit {
  /** False: the package cannot be opened; the findings give the reason. */
  readonly readable: boolean;
  /** Only the valid values; undefined without a readable manifest. */
  readonly manifest: Pick<Manifest, 'id' | 'name' | 'version' | 'versionCode'> | undefined;
  readonly summary: FindingsSummary;
  readonly findings: readonly Finding[];
  /** Errors reject the package. Findings for review, or `alwaysReview`, require a person. */
  readonly verdict: Verdict;
}

/** Audits an archive or an unpacked folder. Throws file system errors for the path. */
export async function auditPackage(path: string, options: AuditOptions = {}): Promise<Audit> {
  const findings = new Findings();
  const opened = (await stat(path)).isDirectory() ? openFolder : openArchive;
  const content = await opened(path, options.limits ?? DEFAULT_LIMITS, findings);
  if (content === undefined) return conclude(findings, undefined, false, options);
  try {
    return await auditContent(content, findings, options);
  } finally {
    await content.close();
  }
}

/** Audits opened content. `findings` has the findings from opening it. */
export async function auditContent(content: PackageContent, findings: Findings, options: AuditOptions): Promise<Audit> {
  const { files } = content;
  const manifest = await auditManifest(files, findings);
  const context: AuditContext = { findings, manifest, files, used: new Map(), undeterminable: false };
  const isSdkExempt = await auditSdk(files, options.sdks ?? trustedSdks(), findings);
  const background = manifest?.background?.entry;
  await auditWeb(context, {
    exempt: new Set(isSdkExempt ? [SDK_FILE] : []),
    onText: (source, kind) => {
      auditDensity(source, kind, context);
      if (source.file === background) auditBackground(source, context);
    },
  });
  return conclude(findings, manifest, true, options);
}

function conclude(findings: Findings, manifest: Manifest | undefined, readable: boolean, options: AuditOptions): Audit {
  const summary = findings.summary();
  const isForPerson = summary.review > 0 || options.alwaysReview === true;
  const verdict = summary.errors > 0 ? 'rejected' : isForPerson ? 'in_review' : 'approved';
  const facts = manifest && {
    id: manifest.id,
    name: manifest.name,
    version: manifest.version,
    versionCode: manifest.versionCode,
  };
  return { readable, manifest: facts, summary, findings: findings.list(), verdict };
}
