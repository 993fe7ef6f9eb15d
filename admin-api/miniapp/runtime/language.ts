/**
 * The language level of background files. Refuses syntax that Rhino 1.7.15 cannot parse, or
 * silently parses differently, because QuickJS would run it. The findings are those of the audit.
 */
import { auditBackground } from '../audit/background/background.ts';
import { RHINO_SYNTAX_RULES } from '../audit/background/rhino-rules.ts';
import type { AuditContext } from '../audit/context.ts';
import type { Finding } from '../audit/finding.ts';
import { Findings } from '../audit/findings.ts';
import { SourceText } from '../audit/source-text.ts';
import { LONGEST_PROGRAM } from './limits.ts';
import { type EngineOutcome, failure, type Program } from './outcome.ts';

/** Rules that refuse a file. Other findings fail only at run time, such as a missing permission. */
const REFUSED: ReadonlySet<string> = new Set([
  ...Object.keys(RHINO_SYNTAX_RULES),
  'rhino_const_in_loop',
  'background_syntax_error',
  'background_too_complex',
]);

/** Capacity of the cache of findings by program: an app runs the same file each time. */
const REMEMBERED = 8;
const remembered = new Map<string, readonly Finding[]>();

function findingsOf({ path, text }: Program): readonly Finding[] {
  const key = `${path}\n${text}`;
  let refused = remembered.get(key);
  remembered.delete(key);
  if (refused === undefined) {
    const findings = new Findings();
    const context: AuditContext = {
      findings,
      manifest: undefined,
      files: new Map(),
      used: new Map(),
      undeterminable: false,
    };
    auditBackground(new SourceText(path, text), context);
    refused = findings.list().filter(({ code }) => REFUSED.has(code));
  }
  remembered.set(key, refused);
  for (const [oldest] of remembered) {
    if (remembered.size <= REMEMBERED) break;
    remembered.delete(oldest);
  }
  return refused;
}

/** Undefined: the file may run. */
export function refusalOf(program: Program): EngineOutcome | undefined {
  if (program.text.length > LONGEST_PROGRAM)
    return failure('refused', `The background file is longer than ${LONGEST_PROGRAM} characters.`);
  const findings = findingsOf(program);
  if (findings.length === 0) return undefined;
  const [{ message, line, column }] = findings;
  const others = findings.length === 1 ? '' : ` (and ${findings.length - 1} more)`;
  return failure('refused', `${program.path}:${line ?? 1}:${column ?? 1}: ${message}${others}`, findings);
}
