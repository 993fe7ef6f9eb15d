/** The report of `waypost import`: zones, failures, and decisions for the user. */
import { escapeControls } from '../../../core/base/log/index.ts';
import type { Finding, Position, Severity } from '../../zones/migration/index.ts';
import { CliError, describeError } from '../base/errors.ts';
import { type CliIo, print, safeJson } from '../base/io.ts';
import { shown, Table } from '../base/table.ts';
import { failureFields, printBadLines, warningText } from '../zone/warnings.ts';
import type { Action, ZoneResult } from './zone.ts';

/** Maximum table rows. Further zones are only counted, unless they have problems. */
const MAX_ROWS = 200;
const MAX_WARNINGS = 50;
/** Maximum number of zone names in a finding. */
const MAX_NAMES = 8;

interface ImportReport {
  /** The kind of source. */
  readonly kind: string;
  readonly title: string;
  readonly dryRun: boolean;
  readonly zones: readonly ZoneResult[];
  readonly findings: readonly Finding[];
  readonly seconds: number;
  /** The next command for the user. */
  readonly next: string;
}

const DONE: Readonly<Record<Action, string>> = {
  created: 'created',
  replaced: 'replaced',
  unchanged: 'unchanged',
  differs: 'differs',
  skipped: 'left out',
  failed: 'failed',
};
const PLANNED: Readonly<Record<Action, string>> = {
  ...DONE,
  created: 'would be created',
  replaced: 'would be replaced',
  failed: 'would fail',
};

/** Whether the report has no failed zone, no zone that differs, and no error. */
export function isComplete({ zones, findings }: ImportReport): boolean {
  return (
    zones.every(({ action }) => action !== 'failed' && action !== 'differs') &&
    findings.every(({ severity }) => severity !== 'error')
  );
}

export function printReport(io: CliIo, report: ImportReport, json: boolean): Promise<void> | void {
  if (json) print(io.stdout, safeJson(toJson(report)));
  else return printForPeople(io, report);
}

const allFindings = ({ findings, zones }: ImportReport): Finding[] => [
  ...findings,
  ...zones.flatMap((zone) => zone.findings),
];

function countOf(zones: readonly ZoneResult[]): Record<Action, number> {
  const counts = { created: 0, replaced: 0, unchanged: 0, differs: 0, skipped: 0, failed: 0 };
  for (const { action } of zones) counts[action]++;
  return counts;
}

function toJson(report: ImportReport): object {
  const { kind, title, dryRun, zones, seconds } = report;
  const findings = allFindings(report);
  const of = (severity: Severity) =>
    findings.filter((entry) => entry.severity === severity).map(({ severity: _, ...rest }) => rest);
  return {
    ok: isComplete(report),
    source: { kind, title },
    dry_run: dryRun,
    counts: countOf(zones),
    records: zones.reduce((sum, { records }) => sum + records, 0),
    seconds,
    zones: zones.map(({ zone, kind: role, action, from, records, changes, warnings, warningsOmitted, error }) => ({
      zone,
      kind: role,
      action,
      from,
      records,
      ...(changes && { changes }),
      ...(warnings.length > 0 && { warnings }),
      ...(warningsOmitted > 0 && { warnings_omitted: warningsOmitted }),
      ...(error !== undefined && { error: errorFields(error) }),
    })),
    decisions: of('decision'),
    warnings: of('warning'),
    errors: of('error'),
  };
}

const errorFields = (error: unknown): object => ({
  ...failureFields(error),
  ...(error instanceof CliError && error.next !== undefined && { next: error.next }),
});

async function printForPeople(io: CliIo, report: ImportReport): Promise<void> {
  const { kind, title, dryRun, zones, seconds } = report;
  const verbs = dryRun ? PLANNED : DONE;
  const isPlain = ({ action }: ZoneResult): boolean => ['created', 'replaced', 'unchanged'].includes(action);
  const rows = zones.length <= MAX_ROWS ? zones : zones.filter((zone) => !isPlain(zone)).slice(0, MAX_ROWS);
  const table = new Table(
    io.stdout,
    { ZONE: 'zone', ACTION: 'action', RECORDS: 'records', CHANGES: 'changes', FROM: 'from' },
    false,
  );
  await table.write(
    rows.map(({ zone, action, records: count, changes, from }) => ({
      zone,
      action: verbs[action],
      from,
      records: String(count),
      changes:
        action === 'unchanged' || changes === undefined
          ? '-'
          : `+${changes.created} ~${changes.changed} -${changes.deleted}`,
    })),
  );
  if (rows.length < zones.length) print(io.stdout, `${zones.length - rows.length} more zones; --json lists all`);
  printWarnings(io, zones);
  for (const result of zones) if (result.error !== undefined) printError(io, result);
  const findings = allFindings(report);
  printFindings(
    io,
    'Errors',
    findings.filter(({ severity }) => severity === 'error'),
  );
  printFindings(
    io,
    'Decisions',
    findings.filter(({ severity }) => severity === 'decision'),
  );
  printFindings(
    io,
    'Warnings',
    findings.filter(({ severity }) => severity === 'warning'),
  );
  const counts = countOf(zones);
  const parts = Object.entries(counts).flatMap(([action, n]) => (n === 0 ? [] : [`${n} ${verbs[action as Action]}`]));
  const records = zones.reduce((sum, zone) => sum + zone.records, 0);
  print(io.stdout, '');
  print(
    io.stdout,
    `${escapeControls(`${kind} ${title}`)}: ${zones.length} zones${parts.length === 0 ? '' : `: ${parts.join(', ')}`}; ${records} records, ${seconds} s`,
  );
  const isNothing = zones.length > 0 && counts.created + counts.replaced + counts.failed + counts.differs === 0;
  if (dryRun || isNothing) print(io.stdout, 'Nothing was changed.');
  if (counts.differs > 0) print(io.stdout, 'Zones that differ are left as they are; --replace replaces their records.');
  print(io.stdout, `next: ${escapeControls(report.next)}`);
}

function printWarnings(io: CliIo, zones: readonly ZoneResult[]): void {
  const warnings = zones.flatMap((zone) => zone.warnings);
  for (const warning of warnings.slice(0, MAX_WARNINGS)) print(io.stderr, warningText(warning));
  const omitted =
    Math.max(0, warnings.length - MAX_WARNINGS) + zones.reduce((sum, zone) => sum + zone.warningsOmitted, 0);
  if (omitted > 0) print(io.stderr, `${omitted} more warnings; --json lists more`);
}

function printError(io: CliIo, { zone, from, error }: ZoneResult): void {
  if (printBadLines(io.stderr, from, error))
    print(io.stderr, escapeControls(`  next: correct ${from} and run the import again; zone ${zone} was not changed`));
  else print(io.stderr, `${escapeControls(`${zone} (${from})`)}: ${describeError(error)}`);
}

/** Findings of many zones with the same text are printed once. */
function printFindings(io: CliIo, heading: string, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const groups = new Map<string, Finding[]>();
  for (const entry of findings) {
    const key = `${entry.code} ${entry.message}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  print(io.stdout, '');
  print(io.stdout, `${heading}:`);
  for (const group of groups.values()) {
    const [{ code, message, next, zone }] = group;
    const zones = group.flatMap((entry) => entry.zone ?? []);
    const names =
      zones.slice(0, MAX_NAMES).join(', ') + (zones.length > MAX_NAMES ? ` and ${zones.length - MAX_NAMES} more` : '');
    print(io.stdout, escapeControls(`  ${zones.length > 0 ? `${names}: ` : ''}${message} (${code}${whereOf(group)})`));
    const general = group.length > 1 && zone !== undefined ? next?.replaceAll(zone, 'ZONE') : next;
    if (general !== undefined) print(io.stdout, escapeControls(`    next: ${general}`));
  }
}

function whereOf([{ at }, ...others]: readonly Finding[]): string {
  return at === undefined || others.length > 0 ? '' : `, ${positionText(at)}`;
}

const positionText = ({ file, line }: Position): string => `${file}:${shown(line)}`;
