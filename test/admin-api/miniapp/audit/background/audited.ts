/** The audit of a background file alone. */
import { auditBackground } from '../../../../../admin-api/miniapp/audit/background/background.ts';
import type { AuditContext } from '../../../../../admin-api/miniapp/audit/context.ts';
import type { Finding } from '../../../../../admin-api/miniapp/audit/finding.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import { SourceText } from '../../../../../admin-api/miniapp/audit/source-text.ts';

export const HANDLER = '\nfunction onBackgroundEvent(event) {}\n';

export function auditedBackground(text: string, permissions: readonly string[] = []): readonly Finding[] {
  const background = { enabled: true, entry: 'background.js', events: ['schedule'], permissions };
  const findings = new Findings();
  const context: AuditContext = {
    findings,
    manifest: {
      id: 'com.example.app',
      name: 'App',
      version: '1.0',
      versionCode: 1,
      description: undefined,
      entry: 'index.html',
      icon: undefined,
      permissions: ['background'],
      background,
      minHostVersion: '1.0',
      category: undefined,
    },
    files: new Map(),
    used: new Map(),
    undeterminable: false,
  };
  auditBackground(new SourceText('background.js', text), context);
  return findings.list();
}

export const codesOf = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);
