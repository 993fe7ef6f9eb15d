/** `waypost domain rm`, `deleted` and `restore`: deletes domains, and restores deleted ones. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { findDomain, requireDomain, zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { pages, rows } from '../base/pages.ts';
import { count, shown } from '../base/table.ts';
import { addVerb, type Call, option, YES } from '../base/verb.ts';

type DeletedDomain = ApiResponse<'listDeletedDomains'>['domains'][number];

const DELETED = '/api/v1/domains/deleted';

export function addBinCommands(group: Command, context: CommandContext): void {
  addVerb(group, context, {
    usage: 'rm <name>',
    about: 'remove a domain with all its records; asks for confirmation',
    more: 'It can be restored for 30 days with "waypost domain restore".',
    options: [
      YES,
      option('--force', 'remove a signed domain although its parent zone has a DS record'),
      option('--permanent', 'remove it for good, also one that was removed before'),
    ],
    examples: [
      'waypost domain rm example.com',
      'waypost domain rm example.com --yes',
      'waypost domain rm example.com --permanent',
    ],
    async run(call: Call<{ force?: boolean; permanent?: boolean }>, [name]) {
      const { force, permanent } = call.options;
      const used = await findDomain(call.api, name);
      const found = used ?? (permanent ? await findDeleted(call.api, name) : undefined);
      const { id: domain_id, domain, record_count } = found ?? (await requireDomain(call.api, name));
      const records = count(record_count, 'record');
      await call.confirm(`Remove ${domain} with ${records}${permanent ? ' for good' : ''}?`);
      const params = { path: { domain_id }, query: { force, permanent } };
      const body = await call.api.DELETE('/api/v1/domains/{domain_id}', { params });
      const until = body.restorable_until;
      const next = until === null ? [] : [`  it can be restored until ${until}: waypost domain restore ${domain}`];
      call.show(body, `removed ${domain}`, ...next);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'deleted',
    about: 'list the removed domains that can be restored, newest first',
    examples: ['waypost domain deleted', 'waypost domain deleted --json | jq -r .domain'],
    async run(call) {
      await call.list(
        pages(call.api, DELETED, 'domains', { query: { account: call.api.account } }),
        {
          ID: 'id',
          DELETED: 'deleted_at',
          UNTIL: 'restorable_until',
          RECORDS: ({ record_count }) => String(record_count),
          BY: ({ deleted_by }) => shown(deleted_by),
          DOMAIN: 'domain',
        },
        'No removed domains.',
      );
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'restore <name>',
    about: 'restore a removed domain with its records, settings and history',
    more: 'The name, or the id of "waypost domain deleted". Of several with one name, the last one is restored.',
    examples: ['waypost domain restore example.com', 'waypost domain restore 12'],
    async run(call, [name]) {
      const deleted = await findDeleted(call.api, name);
      if (deleted === undefined)
        throw new CliError('no_such_domain', `No removed domain "${name}" can be restored.`, {
          next: 'List the removed domains with "waypost domain deleted".',
        });
      const params = { path: { domain_id: deleted.id } };
      const body = await call.api.POST('/api/v1/domains/deleted/{domain_id}/restore', { params });
      const { domain, record_count } = body.domain;
      call.show(body, `restored ${domain} with ${count(record_count, 'record')}`);
      return true;
    },
  });
}

/** The removed domain with this id, or the last one with this name. */
async function findDeleted(api: ApiClient, text: string): Promise<DeletedDomain | undefined> {
  const name = zoneName(text);
  for await (const row of rows(api, DELETED, 'domains', { query: { account: api.account } }))
    if (row.domain === name || String(row.id) === text) return row;
  return undefined;
}
