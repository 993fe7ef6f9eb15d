/** `waypost audit`: shows and follows the audit log. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { zoneName } from '../base/domains.ts';
import { wholeNumber } from '../base/numbers.ts';
import { pages } from '../base/pages.ts';
import { type Columns, shown, Table } from '../base/table.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

interface AuditOptions {
  readonly limit: number;
  readonly domain?: string;
  readonly follow?: boolean;
}

/** Uses half a percent of the default rate limit of a token. */
const POLL_MS = 5000;
const PAGE = 100;
/** Maximum entries of one poll: more than a person can read in five seconds. */
const MAX_POLLED = 10_000;

type Entry = ApiResponse<'listAudit'>['entries'][number];

const COLUMNS: Columns<Entry> = {
  AT: 'at',
  WHO: ({ actor, by_admin, account_id }) => (by_admin ? `${who(actor)} for account ${account_id}` : who(actor)),
  FROM: 'remote_address',
  CHANGE: 'revision',
  ACTION: 'action',
  DOMAIN: 'domain',
  TARGET: 'target',
  DETAIL: 'detail',
};

export function addAuditCommand(program: Command, context: CommandContext): void {
  addVerb(program, context, {
    usage: 'audit',
    about: 'show the audit log: who changed what, newest first',
    more: 'Shows your own account; administrators see all accounts.',
    options: [
      option('--limit <n>', 'the maximum number of entries').argParser(wholeNumber(1, 100_000)).default(50),
      option('--domain <name>', 'only changes to this domain'),
      option('--account <account>', 'only changes to this account, given by username or id; for administrators'),
      option('--follow', 'show oldest entries first and wait for new ones, until interrupted'),
    ],
    examples: [
      'waypost audit --limit 20',
      'waypost audit --domain example.com --json | jq -r .action',
      'waypost audit --follow',
    ],
    async run(call: Call<AuditOptions>) {
      if (call.options.follow) return follow(call);
      await call.list(newest(call.api, call.options), COLUMNS, 'No entries found.');
      return true;
    },
  });
}

/** Formats who made a change. */
export function who(actor: Pick<NonNullable<Entry['actor']>, 'username' | 'token_name'> | null): string {
  if (actor === null) return 'the service';
  return actor.token_name ? `${shown(actor.username)} (${shown(actor.token_name)})` : shown(actor.username);
}

/** Yields the last `limit` entries in pages, newest first. */
async function* newest(api: ApiClient, { limit, domain }: Omit<AuditOptions, 'follow'>): AsyncGenerator<Entry[]> {
  const wanted = domain === undefined ? undefined : zoneName(domain);
  let left = limit;
  const query = { limit: Math.min(PAGE, limit), domain: wanted, account: api.account };
  for await (const page of pages(api, '/api/v1/audit', 'entries', { query })) {
    const rows = page.filter((row) => wanted === undefined || row.domain === wanted).slice(0, left);
    left -= rows.length;
    yield rows;
    if (left === 0) return;
  }
}

async function follow({ io, api, options }: Call<AuditOptions>): Promise<boolean> {
  const table = new Table(io.stdout, COLUMNS, options.json === true);
  let last: Entry | undefined;
  let limit = options.limit;
  while (io.stdout.writable) {
    const rows = await readNewer(newest(api, { ...options, limit }), last);
    last = rows[0] ?? last;
    limit = MAX_POLLED;
    if (await table.write(rows.reverse())) await (io.sleep ?? wait)(POLL_MS);
  }
  return true;
}

/**
 * The entries newer than `last`, newest first. Also stops at an older entry, because `last` may
 * have expired.
 */
async function readNewer(found: AsyncIterable<Entry[]>, last: Entry | undefined): Promise<Entry[]> {
  const rows: Entry[] = [];
  for await (const page of found) {
    for (const row of page) {
      if (last !== undefined && (row.id === last.id || row.at < last.at)) return rows;
      rows.push(row);
    }
  }
  return rows;
}
