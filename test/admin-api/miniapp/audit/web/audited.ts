/** Audits the web content of a package that is in memory. */
import type { PackageFile } from '../../../../../admin-api/miniapp/audit/content.ts';
import type { AuditContext } from '../../../../../admin-api/miniapp/audit/context.ts';
import type { Finding } from '../../../../../admin-api/miniapp/audit/finding.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import type { Manifest } from '../../../../../admin-api/miniapp/audit/manifest/manifest.ts';
import { auditWeb } from '../../../../../admin-api/miniapp/audit/web/audit-web.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export async function auditedFiles(files: Files): Promise<readonly Finding[]> {
  const context = contextOf(files);
  await auditWeb(context, { exempt: new Set(['host-sdk.js']) });
  return context.findings.list();
}

export function contextOf(files: Files): AuditContext {
  const packaged = Object.entries(files).map(([path, content]): [string, PackageFile] => {
    const bytes = Buffer.from(content as Uint8Array);
    return [path, { path, size: bytes.length, read: async () => bytes }];
  });
  const manifest = JSON.parse(String(files['manifest.json'] ?? '{"permissions":[]}')) as Manifest;
  return { findings: new Findings(), manifest, files: new Map(packaged), used: new Map(), undeterminable: false };
}

/** What depends on the other files of a package, of which a script alone has none. */
const OF_OTHERS = new Set(['host_permission_unused', 'script_unreferenced', 'undefined_global']);

/** A script alone, with all permissions declared. */
export async function auditedScript(script: string, module = false): Promise<readonly Finding[]> {
  const permissions = ['storage', 'vibrate', 'camera', 'device.info', 'network', 'background'];
  const page = `<script src=host-sdk.js></script><script ${module ? 'type=module ' : ''}src=app.js></script>`;
  const found = await auditedFiles({
    'manifest.json': JSON.stringify({ entry: 'index.html', permissions }),
    'host-sdk.js': '',
    'index.html': page,
    'app.js': script,
    'lib.js': '',
  });
  return found.filter(({ code }) => !OF_OTHERS.has(code));
}

export const codesOf = (findings: readonly Finding[]): string[] =>
  [...new Set(findings.map(({ code }) => code))].sort();
