/**
 * The audit of a package, as the server and the linter do it: the same files, options and rules
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
  /** All known SDKs; omitted: the issued ones. Without any, a person looks at host-sdk.js. */
  readonly sdks?: readonly Sdk[];
  /** Nothing is approved without a person. */
  readonly alwaysReview?: boolean;
}

export type Verdict = 'approved' | 'in_review' | 'rejected';

export interface Audit {
  /** False: it is no package that can be opened; the findings say why. */
  readonly readable: boolean;
  /** As far as the manifest says so in an acceptable way. */
  readonly manifest: Pick<Manifest, 'id' | 'name' | 'version' | 'versionCode'> | undefined;
  readonly summary: FindingsSummary;
  readonly findings: readonly Finding[];
  /** Any error rejects; any finding for review, or the option, asks for a person. */
  readonly verdict: Verdict;
}

/**
 * Of an archive, or of a folder with what is to be in it. Throws what the system says of the path.
 */
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

/** As `auditPackage`, of content that is open; `findings` has what was found when it was opened. */
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
