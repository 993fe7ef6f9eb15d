/** Audits the apps of libraries: the verdict, the findings and the time of each. */
import { createHash } from 'node:crypto';
import { auditContent } from '../../../admin-api/miniapp/audit/audit.ts';
import type { PackageFile } from '../../../admin-api/miniapp/audit/content.ts';
import { Findings } from '../../../admin-api/miniapp/audit/findings.ts';
import { SDK } from '../sources.ts';
import { type Files, libraryApp } from './apps.ts';
import { LIBRARIES } from './list.ts';

const SDKS = [{ version: '1.0.0', sha256: createHash('sha256').update(SDK).digest('hex') }];

export interface AuditedLibrary {
  readonly name: string;
  readonly version: string;
  /** Bytes of the script. */
  readonly size: number;
  readonly verdict: string;
  /** `code type`, in the order of the files. */
  readonly findings: readonly string[];
  readonly milliseconds: number;
}

export async function* auditLibraries(folder: string, rounds: number): AsyncGenerator<AuditedLibrary> {
  for (const library of LIBRARIES) {
    const files = await libraryApp(folder, library);
    let best = Number.POSITIVE_INFINITY;
    let audit = await auditFiles(files);
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      audit = await auditFiles(files);
      best = Math.min(best, performance.now() - began);
    }
    yield {
      ...{ name: library.name, version: library.version, size: String(files['app.js']).length },
      ...{ verdict: audit.verdict, milliseconds: best },
      findings: audit.findings.map(({ code, type }) => `${code} ${type}`),
    };
  }
}

function auditFiles(files: Files) {
  const packaged = Object.entries(files).map(([path, content]): [string, PackageFile] => {
    const bytes = Buffer.from(content as Uint8Array);
    return [path, { path, size: bytes.length, read: async () => bytes }];
  });
  return auditContent({ files: new Map(packaged), close: async () => {} }, new Findings(), { sdks: SDKS });
}

export const LIBRARY_COLUMNS = ['library', 'version', 'KB', 'verdict', 'findings', 'ms', 'codes'];

export function libraryCells({ name, version, size, verdict, findings, milliseconds }: AuditedLibrary): string[] {
  const codes = [...new Set(findings.filter((finding) => !finding.startsWith('minified ')))];
  return [
    ...[name, version, String(Math.round(size / 1000)), verdict.replace('_', ' '), String(findings.length)],
    ...[milliseconds.toFixed(1), codes.join(', ')],
  ];
}

/** `61 of 63 not rejected, at most 5 findings`. */
export function librariesText(audited: readonly AuditedLibrary[]): string {
  const count = (verdict: string) => audited.filter((library) => library.verdict === verdict).length;
  const most = Math.max(...audited.map(({ findings }) => findings.length));
  return `${audited.length} libraries: ${count('approved')} approved, ${count('in_review')} in review, ${count('rejected')} rejected; at most ${most} findings.`;
}
