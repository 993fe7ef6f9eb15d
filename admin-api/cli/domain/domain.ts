/** `waypost domain`: the domains of the account. */
import type { Command } from 'commander';
import { ofAccount } from '../base/accounts.ts';
import type { Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { asDomain, DOMAINS, domainPath } from '../base/domains.ts';
import { CliError, isFatalForAll, reportError } from '../base/errors.ts';
import { pages, rowsOf } from '../base/pages.ts';
import { count, fields, shown } from '../base/table.ts';
import { addAccountGroup, addVerb, type Call, option, YES } from '../base/verb.ts';

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
      option(
        '--catalog',
        'a catalog zone (RFC 9432), which lists the domains of the account; with --secondary, one whose zones become secondary zones here',
      ),
      option('--secondary', 'a secondary zone: its records are transferred from its primaries'),
      option(
        '--primary <address...>',
        'a primary, in order: ADDRESS[,key=TSIG-KEY-ID][,tls=NAME][,pin=SHA256]; "tls" alone accepts any certificate',
      ),
      option('--all-accounts', 'the catalog lists the domains of all accounts; for administrators'),
    ],
    examples: [
      'waypost domain add example.com',
      'waypost domain add example.com bücher.example --json',
      'waypost domain add catalog.example.com --catalog',
      'waypost domain add example.net --secondary --primary 192.0.2.1,key=1',
    ],
    async run(call: Call<AddOptions>, names) {
      const { catalog, allAccounts, secondary, primary } = call.options;
      const members = allAccounts ? 'all' : undefined;
      const asSecondary = secondary || primary !== undefined;
      const kind = {
        ...((catalog || allAccounts) && { kind: 'catalog', members }),
        ...(asSecondary && {
          kind: 'secondary',
          primaries: (primary ?? []).map(primaryOf),
          catalog,
          members: undefined,
        }),
      };
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
              : row.kind === 'secondary'
                ? 'transferring it from its primaries: see waypost domain show'
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
    about: 'show a domain: nameservers, records, revision, proxy, state of a secondary zone, warnings',
    examples: ['waypost domain show example.com', 'waypost domain show example.com --json | jq .domain.nameservers'],
    async run(call, [name]) {
      const body = await call.api.json({ method: 'GET', path: domainPath(await call.domain(name)) });
      const { row } = asDomain(body.domain);
      const { domain: title, primaries, secondary, catalog, listed_by: listedBy, warnings, ...rest } = row;
      const more = {
        ...secondaryFields(primaries, secondary),
        ...stateFields('catalog', readableCatalog(catalog)),
        ...(listedBy !== null && { listed_by: listedBy }),
      };
      const lines = rowsOf(warnings).map(({ message }) => `  ! ${shown(message)}`);
      call.show(body, String(title), ...fields({ ...rest, ...more }), ...lines);
      return true;
    },
  });
  addVerb(domain, context, {
    usage: 'transfer <name>',
    about: 'ask the primaries of a secondary zone now; transfers it if it has changed',
    options: [option('--force', 'transfer the whole zone, also if its serial is older or the same')],
    examples: ['waypost domain transfer example.net', 'waypost domain transfer example.net --force'],
    async run(call: Call<{ force?: boolean }>, [name]) {
      const path = domainPath(await call.domain(name), `/transfer${call.options.force ? '?force=true' : ''}`);
      const body = await call.api.json({ method: 'POST', path });
      const { domain: title, row } = asDomain(body.domain);
      const { state, serial, error } = row.secondary as Json;
      call.show(body, `${title}: ${shown(state)}, serial ${shown(serial)}`, ...(error ? [`  ${shown(error)}`] : []));
      return error === null;
    },
  });
  addVerb(domain, context, {
    usage: 'primaries <name> <address...>',
    about: 'replace the primaries of a secondary zone; each as for "domain add --primary"',
    examples: ['waypost domain primaries example.net 192.0.2.1,key=1 192.0.2.2,key=1'],
    async run(call, [name, ...primaries]) {
      const path = domainPath(await call.domain(name), '/primaries');
      const body = await call.api.json({ method: 'PUT', path, json: { primaries: primaries.map(primaryOf) } });
      call.show(body, `replaced the primaries of ${asDomain(body.domain).domain}`);
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

interface AddOptions {
  catalog?: boolean;
  allAccounts?: boolean;
  secondary?: boolean;
  primary?: string[];
}

/** Parses a primary, `ADDRESS[,key=ID][,tls=NAME][,pin=SHA256]`, for a request. */
function primaryOf(text: string): Json {
  const [address, ...attributes] = text.split(',');
  const primary: Record<string, unknown> = { address };
  const tls: Record<string, unknown> = {};
  for (const attribute of attributes) {
    const [name, ...rest] = attribute.split('=');
    const value = rest.join('=');
    if (name === 'key' && /^\d+$/.test(value)) primary.tsig_key_id = Number(value);
    else if (name === 'tls') Object.assign(tls, value === '' ? {} : { name: value });
    else if (name === 'pin' && value !== '') tls.pin = value;
    else
      throw new CliError(
        'usage',
        `"${attribute}" of the primary ${address} is not understood: use key=, tls= or pin=.`,
      );
  }
  const isWithTls = attributes.some((attribute) => /^(tls|pin)\b/.test(attribute));
  if (isWithTls) primary.tls = Object.keys(tls).length === 0 ? { opportunistic: true } : tls;
  return primary;
}

/** Fields of a secondary zone that `show` prints. */
function secondaryFields(primaries: unknown, secondary: unknown): Json {
  if (!Array.isArray(primaries)) return {};
  const addresses = primaries.map((primary: Json) => primary.address).join(', ');
  const { signatures, ...state } = (secondary ?? {}) as Json;
  const fieldsOfState = { ...stateFields('secondary', state), ...stateFields('signatures', signatures) };
  return { primaries: addresses, ...fieldsOfState };
}

/** Formats the omitted zones of a catalog as text. */
function readableCatalog(catalog: unknown): unknown {
  if (catalog === null || catalog === undefined) return catalog;
  const { left_out: leftOut = [], ...rest } = catalog as Json & { readonly left_out?: readonly Json[] };
  return { ...rest, left_out: leftOut.map(({ domain, message }) => `${domain}: ${message}`) };
}

/** Prefixes the fields of an object with its name. Empty if there is no object. */
function stateFields(name: string, state: unknown): Json {
  const states = Object.entries((state ?? {}) as Json).map(([field, value]) => [`${name}_${field}`, value]);
  return Object.fromEntries(states);
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
