/** The report of an audit that did not finish. */
import type { Audit } from './audit.ts';
import { Findings, PACKAGE } from './findings.ts';

/** The verdict is `in_review`: an unfinished audit is no approval. `timeout`: milliseconds. */
export function unfinishedAudit(kind: 'timed_out' | 'crashed', timeout: number): Audit {
  const findings = new Findings();
  if (kind === 'timed_out')
    findings.add('audit_timed_out', PACKAGE, `The audit was ended after ${timeout / 1000} seconds.`);
  else findings.add('audit_crashed', PACKAGE, 'The audit ended without a verdict.');
  return {
    readable: true,
    manifest: undefined,
    summary: findings.summary(),
    findings: findings.list(),
    verdict: 'in_review',
  };
}
