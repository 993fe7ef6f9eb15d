/** `waypost history`: the changes of a domain, and the return to the state after one of them. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { Change } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { parseSequence, wholeNumber } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { count, shown } from '../base/table.ts';
import { addAccountGroup, addVerb, type Call, option, YES } from '../base/verb.ts';
import { who } from '../people/audit.ts';
import { recordLine } from './records.ts';

const HISTORY = '/api/v1/domains/{domain_id}/history';

type DomainChange = ApiResponse<'listHistory'>['changes'][number];
type Restored = ApiResponse<'restoreRecords'>;

const RESTORE_OPTIONS = [option('--dry-run', 'only show what would change'), YES];
const RESTORE_SCOPE =
  'Records and their comments are restored, in one change that can be undone as well. Proxy and DNSSEC stay as they are.';

interface RestoreOptions {
  readonly dryRun?: boolean;
}

export function addHistoryCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'history', 'the changes of a domain: list, show, undo, restore', [
    'waypost history list example.com',
    'waypost history undo example.com',
  ]);
  addReading(group, context);
  addVerb(group, context, {
    usage: 'restore <domain> <change>',
    about: 'give the records the state that they had after a change; asks for confirmation',
    options: RESTORE_OPTIONS,
    more: RESTORE_SCOPE,
    examples: ['waypost history restore example.com 1234 --dry-run', 'waypost history restore example.com 1234'],
    async run(call: Call<RestoreOptions>, [domainName, text]) {
      const seq = parseSequence(text);
      const domain = await call.domain(domainName);
      await restore(call, domain, seq, `restored the records of ${domain.domain} after change ${seq}`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'undo <domain>',
    about: 'undo the last change of the records; asks for confirmation',
    options: RESTORE_OPTIONS,
    more: `${RESTORE_SCOPE} A second "undo" undoes the first.`,
    examples: ['waypost history undo example.com --dry-run', 'waypost history undo example.com --yes'],
    async run(call: Call<RestoreOptions>, [domainName]) {
      const domain = await call.domain(domainName);
      const { seq } = await lastChangeOfRecords(call, domain);
      await restore(call, domain, seq - 1, `undid change ${seq} of ${domain.domain}`);
      return true;
    },
  });
}

function addReading(group: Command, context: CommandContext): void {
  addVerb(group, context, {
    usage: 'list <domain>',
    about: 'list the changes of a domain, newest first',
    options: [
      option('--limit <n>', 'the maximum number of changes').argParser(wholeNumber(1, 100_000)).default(50),
      option('--filter <text>', 'only changes with this text in their actor, action or records'),
    ],
    examples: [
      'waypost history list example.com',
      'waypost history list example.com --filter www --limit 10',
      'waypost history list example.com --json | jq .seq',
    ],
    async run(call: Call<{ limit: number; filter?: string }>, [domainName]) {
      const { limit, filter } = call.options;
      await call.list(
        atMost(limit, changesOf(call, await call.domain(domainName), filter)),
        {
          CHANGE: 'seq',
          AT: 'at',
          WHO: ({ actor }) => who(actor),
          ACTION: ({ action }) => action ?? 'by the service',
          RECORDS: 'record_count',
        },
        'No changes found.',
      );
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'show <domain> <change>',
    about: 'show a change with the values before and after',
    examples: ['waypost history show example.com 1234'],
    async run(call, [domainName, text]) {
      const seq = parseSequence(text);
      const domain = await call.domain(domainName);
      const change = await findChange(call, domain, ({ seq: found }) => found <= seq);
      if (change?.seq !== seq)
        throw new CliError('no_such_change', `The history of ${domain.domain} has no change ${seq}.`, {
          next: `List its changes with "waypost history list ${domain.domain}".`,
        });
      const heading = `change ${seq} at ${change.at}: ${change.action ?? 'by the service'}, ${who(change.actor)}`;
      call.show(change, heading, ...changeLines(change), ...settingLines(change));
      return true;
    },
  });
}

const changesOf = (call: Call, { id: domain_id }: Domain, q?: string) =>
  pages(call.api, HISTORY, 'changes', { path: { domain_id }, query: { limit: 100, q } });

async function* atMost<Row>(limit: number, all: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let left = limit;
  for await (const page of all) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}

/** The newest change that matches. */
async function findChange(
  call: Call,
  domain: Domain,
  matches: (change: DomainChange) => boolean,
): Promise<DomainChange | undefined> {
  for await (const page of changesOf(call, domain)) {
    const found = page.find(matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Throws CliError `nothing_to_undo`. */
async function lastChangeOfRecords(call: Call, domain: Domain): Promise<DomainChange> {
  const concernsRecords = (change: DomainChange): boolean => change.record_count + change.comments.length > 0;
  const found = await findChange(call, domain, (change) => change.is_creation || concernsRecords(change));
  if (found !== undefined && !found.is_creation) return found;
  throw new CliError('nothing_to_undo', `No stored change of the records of ${domain.domain} can be undone.`, {
    next: `List its changes with "waypost history list ${domain.domain}".`,
  });
}

/** Previews, asks, and restores the state after the change `seq`, unless the domain has changed. */
async function restore(call: Call<RestoreOptions>, domain: Domain, seq: number, done: string): Promise<void> {
  const path = { domain_id: domain.id, seq };
  const params = { path, header: { 'If-Match': `"${domain.revision}"` } };
  const run = (dry_run: boolean): Promise<Restored & Change> =>
    call.api.POST(`${HISTORY}/{seq}/restore`, { params, body: { dry_run } });
  const plan = await run(true);
  const size = plan.record_count + plan.comments.length;
  const what = [count(plan.record_count, 'record'), count(plan.comments.length, 'comment')].join(' and ');
  if (call.options.dryRun || size === 0) {
    const { change: _, ...preview } = plan;
    call.show(
      preview,
      `${domain.domain}: ${size === 0 ? 'nothing to change' : `${what} would change`}`,
      ...changeLines(plan),
    );
    return;
  }
  for (const line of changeLines(plan)) call.note(line);
  await call.confirm(`Change ${what} of ${domain.domain}?`);
  call.show(await run(false), done);
}

/** `-` before and `+` after, for records and comments. */
function changeLines({ records, record_count, comments }: Pick<Restored, 'records' | 'record_count' | 'comments'>) {
  const comment = (name: string, type: string, text: string): string => `${shown(name)} ${type} ; ${shown(text)}`;
  const lines = [
    ...records.map(({ before, after }) => [before && recordLine(before), after && recordLine(after)]),
    ...comments.map(({ name, type, before, after }) => [
      before && comment(name, type, before),
      after && comment(name, type, after),
    ]),
  ].flatMap(([before, after]) => [...(before ? [`  - ${before}`] : []), ...(after ? [`  + ${after}`] : [])]);
  const omitted = record_count - records.length;
  return omitted > 0 ? [...lines, `  and ${count(omitted, 'more record')}`] : lines;
}

/** The changed settings of the proxy and of DNSSEC. */
function settingLines({ proxy, dnssec }: DomainChange): readonly string[] {
  return Object.entries({ proxy, dnssec }).flatMap(([subject, change]) => {
    const before: Record<string, unknown> = { ...change?.before };
    const after: Record<string, unknown> = { ...change?.after };
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => before[field] !== after[field])
      .map((field) => `  ${subject} ${field}: ${shown(before[field])} -> ${shown(after[field])}`);
  });
}
