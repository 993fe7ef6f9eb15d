/** `waypost domain`: the domains of the account. */
import type { Command } from 'commander';
import { ofAccount } from './accounts.ts';
import type { Json } from './client.ts';
import type { CommandContext } from './command.ts';
import { asDomain, DOMAINS, domainPath } from './domains.ts';
import { isFatalForAll, reportError } from './errors.ts';
import { pages } from './pages.ts';
import { count, fields, shown } from './table.ts';
import { addAccountGroup, addVerb, type Call, option, YES } from './verb.ts';

export function addDomainCommands(program: Command, context: CommandContext): void {
  const domain = addAccountGroup(program, 'domain', 'the domains of the account: create, list, show, remove', [
    'waypost domain add example.com',
    'waypost domain list --filter example',
    'waypost domain rm example.com',
  ]);
  addVerb(domain, context, {
    usage: 'add <name...>',
    about: 'create domains; prints the nameservers to delegate them to',
    more: 'A failure does not stop the others; the exit code is then 1.',
    options: [
      option('--catalog', 'a catalog zone (RFC 9432): it lists the domains of the account'),
      option('--all-accounts', 'the catalog lists the domains of all accounts; for administrators'),
    ],
    examples: [
      'waypost domain add example.com',
      'waypost domain add example.com bücher.example --json',
      'waypost domain add catalog.example.com --catalog',
    ],
    async run(call: Call<{ catalog?: boolean; allAccounts?: boolean }>, names) {
      const { catalog, allAccounts } = call.options;
      const members = allAccounts ? 'all' : undefined;
      const kind = catalog || allAccounts ? { kind: 'catalog', members } : {};
      let ok = true;
      for (const name of names) {
        try {
          const body = await call.api.json({
            method: 'POST',
            path: ofAccount(call.api, DOMAINS),
            json: { domain: name, ...kind },
          });
          const { domain: title, row } = asDomain(body.domain);
          const next =
            row.kind === 'catalog'
              ? 'transfer it to your secondaries: see docs/catalog-zones.md'
              : `delegate it to: ${shown(row.nameservers)}`;
          call.show(body, `created ${title}`, `  ${next}`);
        } catch (error) {
          if (names.length === 1 || isFatalForAll(error)) throw error;
          reportError(call.io, error, call.options.json);
          ok = false;
        }
      }
      return ok;
    },
  });
  addDomainList(domain, context);
  addVerb(domain, context, {
    usage: 'show <name>',
    about: 'show a domain: nameservers, records, revision, proxy',
    examples: ['waypost domain show example.com', 'waypost domain show example.com --json | jq .domain.nameservers'],
    async run(call, [name]) {
      const body = await call.api.json({ method: 'GET', path: domainPath(await call.domain(name)) });
      const { domain: title, ...rest } = asDomain(body.domain).row;
      call.show(body, String(title), ...fields(rest));
      return true;
    },
  });
  addVerb(domain, context, {
    usage: 'rm <name>',
    about: 'remove a domain with all its records; asks for confirmation',
    options: [YES, option('--force', 'remove a signed domain although its parent zone has a DS record')],
    examples: ['waypost domain rm example.com', 'waypost domain rm example.com --yes'],
    async run(call: Call<{ force?: boolean }>, [name]) {
      const found = await call.domain(name);
      await call.confirm(`Remove ${found.domain} with ${count(found.row.record_count, 'record')}?`);
      const path = domainPath(found, call.options.force ? '?force=true' : '');
      const body = await call.api.json({ method: 'DELETE', path });
      call.show(body, `removed ${found.domain}`);
      return true;
    },
  });
}

/** Adds `domain list`, or the same command as `zone list`. */
export function addDomainList(parent: Command, context: CommandContext): void {
  const command = `waypost ${parent.name()} list`;
  addVerb(parent, context, {
    usage: 'list',
    about: 'list the domains of the account, with the number of records of each',
    options: [option('--filter <text>', 'only domains whose name contains this text')],
    examples: [command, `${command} --filter example`, `${command} --json | jq -r .domain`],
    async run(call: Call<{ filter?: string }>) {
      const columns = {
        DOMAIN: (row: Json) => shown(row.domain).padEnd(40),
        RECORDS: (row: Json) => String(row.record_count ?? ''),
      };
      const found = pages(call.api, DOMAINS, 'domains', { q: call.options.filter, account: call.api.account });
      await call.list(found, columns, 'No domains found.');
      return true;
    },
  });
}
