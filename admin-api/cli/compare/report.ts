/** The report of `waypost compare`. */
import { escapeControls } from '../../../core/base/log/index.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName } from '../../../core/dns/wire/name.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { type Finding, type Reason, type Reply, recordText } from '../../zones/migration/index.ts';
import { type CliIo, print, safeJson } from '../base/io.ts';
import { count } from '../base/table.ts';
import type { AnswerDifference, ZoneComparison } from './zones.ts';

/** Differences that are printed without --json. */
const MAX_SHOWN = 200;
/** Records of one answer that are printed. */
const MAX_RECORDS = 12;

interface CompareReport {
  readonly before: string;
  readonly after: string;
  readonly zones: readonly ZoneComparison[];
  readonly findings: readonly Finding[];
  readonly seconds: number;
  readonly strict: boolean;
}

const REASONS: Readonly<Record<Reason, string>> = {
  soa: 'SOA records: each server has its own serial and timers',
  apex_ns: 'NS records of the apex: those of the service',
  dnssec: 'records of DNSSEC: each server has its own keys',
  alias: 'addresses of ALIAS records: they are looked up, and may change at any time',
  proxied: 'addresses of proxied names: those of the proxy',
  chain: 'CNAMEs into other zones or without an end: one server follows more of them',
};

export const isAlike = ({ zones }: CompareReport): boolean =>
  zones.every(({ differences, error }) => differences.length === 0 && error === undefined);

export function printComparison(io: CliIo, report: CompareReport, json: boolean): void {
  if (json) print(io.stdout, safeJson(toJson(report)));
  else printForPeople(io, report);
}

function sumsOf({ zones }: CompareReport) {
  const expected = new Map<Reason, number>();
  for (const zone of zones)
    for (const [reason, n] of zone.expected) expected.set(reason, (expected.get(reason) ?? 0) + n);
  return {
    expected,
    questions: zones.reduce((sum, { questions }) => sum + questions, 0),
    differences: zones.flatMap(({ differences }) => differences),
    errors: zones.filter(({ error }) => error !== undefined),
  };
}

function toJson(report: CompareReport): object {
  const { before, after, zones, seconds } = report;
  const { expected, questions, differences, errors } = sumsOf(report);
  return {
    ok: isAlike(report),
    old: before,
    new: after,
    zones: zones.length,
    questions,
    seconds,
    differences: differences.map(({ zone, question, difference, before: old, after: current }) => ({
      zone,
      name: formatName(question.name),
      type: typeName(question.type),
      parts: difference.parts,
      ...(difference.reason && { expected: difference.reason }),
      old: replyFields(old),
      new: replyFields(current),
    })),
    expected: Object.fromEntries(expected),
    errors: errors.map(({ zone, error }) => ({ zone, message: error })),
    names: Object.fromEntries(zones.map(({ zone, names }) => [zone, names])),
  };
}

function replyFields(reply: Reply | undefined): object | null {
  if (reply === undefined) return null;
  const { rcode, authoritative: aa, answer, authority } = reply;
  const texts = (records: Reply['answer']) => records.map((record) => recordText(record));
  return { rcode: rcodeName(rcode), aa, answer: texts(answer), authority: texts(authority) };
}

const rcodeName = (rcode: number): string =>
  Object.entries(RCODE).find(([, number]) => number === rcode)?.[0] ?? `RCODE${rcode}`;

function printForPeople(io: CliIo, report: CompareReport): void {
  const { before, after, zones, seconds, findings, strict } = report;
  const { expected, questions, differences, errors } = sumsOf(report);
  const named = new Set(errors.map(({ zone }) => zone));
  for (const { message, zone } of findings)
    if (zone === undefined || !named.has(zone))
      print(io.stderr, escapeControls(`${zone === undefined ? '' : `${zone}: `}${message}`));
  for (const { zone, error } of errors) print(io.stderr, escapeControls(`${zone}: not compared: ${error}`));
  for (const difference of differences.slice(0, MAX_SHOWN))
    for (const line of describe(difference)) print(io.stdout, escapeControls(line));
  if (differences.length > MAX_SHOWN)
    print(io.stdout, `${differences.length - MAX_SHOWN} more differences; --json lists all`);
  if (expected.size > 0) {
    print(
      io.stdout,
      strict ? 'Of these, servers of one zone may differ in:' : 'Expected differences, which do not count:',
    );
    for (const [reason, n] of expected) print(io.stdout, `  ${n}  ${REASONS[reason]} (${reason})`);
  }
  const untransferred = zones.filter(({ names, error }) => error === undefined && !names.includes(before)).length;
  if (untransferred > 0)
    print(
      io.stdout,
      `Of ${count(untransferred, 'zone')}, ${before} allows no transfer: names that only it has are not asked.`,
    );
  const failed = errors.length === 0 ? '' : `, ${count(errors.length, 'zone')} not compared`;
  print(
    io.stdout,
    `${count(zones.length, 'zone')}, ${count(questions, 'question')} to ${before} and ${after} in ${seconds} s: ${count(differences.length, 'difference')}${failed}`,
  );
}

function describe({ question, difference, before, after }: AnswerDifference): string[] {
  const title = `${formatName(question.name)} ${typeName(question.type)}: ${difference.parts.join(', ')} differ${difference.parts.length === 1 ? 's' : ''}`;
  const reason = difference.reason === undefined ? '' : ` (expected: ${difference.reason})`;
  return [title + reason, ...describeReply('old', before), ...describeReply('new', after)];
}

function describeReply(side: string, reply: Reply | undefined): string[] {
  if (reply === undefined) return [`  ${side}: no response`];
  const { rcode, authoritative, answer, authority } = reply;
  const head = `  ${side}: ${rcodeName(rcode)}${authoritative ? ' aa' : ''}`;
  const records = answer.length > 0 ? answer : authority;
  const shown = records.slice(0, MAX_RECORDS).map((record) => `       ${recordText(record)}`);
  const more = records.length > MAX_RECORDS ? [`       … ${records.length - MAX_RECORDS} more`] : [];
  const section = answer.length > 0 ? '' : authority.length > 0 ? ', no answer; authority:' : ', no records';
  return [head + section, ...shown, ...more];
}
