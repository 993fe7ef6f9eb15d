/** Formats findings by group, errors first, with one line per group without problems. */
import { escapeControls } from '../../../core/base/log/index.ts';
import { type Finding, SEVERITIES, type Severity } from './check.ts';
import { groupOf } from './table.ts';

const TITLES: Readonly<Record<Severity, string>> = { error: 'Errors', warning: 'Warnings', note: 'Notes', ok: 'Good' };

interface ReportOptions {
  /** Whether to print the details of successful checks. */
  readonly isVerbose: boolean;
  /** Whether to omit sudo from commands. */
  readonly isRoot: boolean;
}

export function* formatFindings(findings: readonly Finding[], { isVerbose, isRoot }: ReportOptions): Iterable<string> {
  for (const severity of [...SEVERITIES].reverse()) {
    const some = findings.filter((finding) => finding.severity === severity);
    if (some.length === 0) continue;
    yield '';
    yield `${TITLES[severity]} (${some.length})`;
    if (severity === 'ok' && !isVerbose) yield* formatGood(some);
    else {
      const [unread, read] = [some.filter(isUnread), some.filter((finding) => !isUnread(finding))];
      for (const finding of read) yield* formatFinding(finding, isRoot);
      yield* formatUnread(unread, isRoot);
    }
  }
}

function* formatFinding({ id, subject, found, why, fix, severity }: Finding, isRoot: boolean): Iterable<string> {
  yield `  ${id}: ${escapeControls(subject === undefined ? found : `${subject}: ${found}`)}`;
  if (severity !== 'ok') yield `      why: ${why}`;
  if (fix !== undefined) yield `      fix: ${escapeControls(isRoot ? withoutSudo(fix) : fix)}`;
}

const isUnread = ({ severity, found }: Finding): boolean => severity === 'note' && found.startsWith('not checked: ');

/** Merges checks with the same reason into one entry. */
function* formatUnread(findings: readonly Finding[], isRoot: boolean): Iterable<string> {
  const byReason = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.found, finding.fix]);
    byReason.set(key, [...(byReason.get(key) ?? []), finding]);
  }
  for (const [first, ...others] of byReason.values()) {
    if (others.length === 0) {
      yield* formatFinding(first, isRoot);
      continue;
    }
    yield `  ${escapeControls(first.found)}`;
    yield `      ${[first, ...others].map(({ id }) => id).join(', ')}`;
    if (first.fix !== undefined) yield `      fix: ${escapeControls(isRoot ? withoutSudo(first.fix) : first.fix)}`;
  }
}

function* formatGood(findings: readonly Finding[]): Iterable<string> {
  const groups = new Map<string, Set<string>>();
  for (const { id } of findings) {
    const group = groupOf(id);
    const names = groups.get(group) ?? new Set();
    groups.set(group, names.add(id.slice(group.length + 1)));
  }
  for (const [group, names] of groups) yield `  ${group}: ${[...names].join(', ')}`;
}

export const withoutSudo = (command: string): string => command.replaceAll(/\bsudo (?=\S)/g, '');

/** "2 errors, 1 warning, 0 notes, 30 good". */
export function summarise(findings: readonly Finding[]): string {
  const count = (wanted: Severity): number => findings.filter(({ severity }) => severity === wanted).length;
  const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
  return [
    ...[plural(count('error'), 'error'), plural(count('warning'), 'warning'), plural(count('note'), 'note')],
    `${count('ok')} good`,
  ].join(', ');
}
