/** `waypost domain`: the domains of the account. */
import type { Command } from 'commander';
import type { ApiBody } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError, isFatalForAll, reportError } from '../base/errors.ts';
import { pages, rows } from '../base/pages.ts';
import { count, fields, shown } from '../base/table.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { addBinCommands } from './bin.ts';

export function addDomainCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'domain', 'domains of the account: create, list, remove, restore', [
    'waypost domain add example.com',
    'waypost domain list --filter example',
    'waypost domain rm example.com',
  ]);
  addVerb(group, context, {
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
        'a primary, in order: ADDRESS[,key=TSIG-KEY][,tls=NAME][,pin=SHA256]; "tls" alone accepts any certificate',
      ),
      option('--all-accounts', 'the catalog lists the domains of all accounts; for administrators'),
    ],
    examples: [
      'waypost domain add example.com',
      'waypost domain add example.com bücher.example --json',
      'waypost domain add catalog.example.com --catalog',
      'waypost domain add example.net --secondary --primary 192.0.2.1,key=their-key',
    ],
    async run(call: Call<AddOptions>, names) {
      const { catalog, allAccounts, secondary, primary } = call.options;
      const kind: Omit<NewDomain, 'domain'> =
        secondary || primary !== undefined
          ? { kind: 'secondary', primaries: await primariesOf(call, primary ?? []), catalog }
          : catalog || allAccounts
            ? { kind: 'catalog', members: allAccounts ? 'all' : undefined }
            : {};
      let ok = true;
      for (const name of names) {
        try {
          const body = await call.api.POST('/api/v1/domains', {
            params: { query: { account: call.api.account } },
            body: { domain: name, ...kind },
          });
          const created = body.domain;
          const next =
            created.kind === 'catalog'
              ? 'transfer it to your secondaries: see docs/catalog-zones.md'
              : created.kind === 'secondary'
                ? 'transferring it from its primaries: see waypost domain show'
                : `delegate it to: ${shown(created.nameservers)}`;
          call.show(body, `created ${created.domain}`, `  ${next}`);
        } catch (error) {
          if (names.length === 1 || isFatalForAll(error)) throw error;
          reportError(call.io, error, call.options.json);
          ok = false;
        }
      }
      return ok;
    },
  });
  addVerb(group, context, {
    usage: 'add-all <file>',
    about: 'create the domains that a file names, all or none',
    more: 'One name a line, up to 1,000; lines that start with "#" are ignored. "-" is standard input.',
    examples: ['waypost domain add-all names.txt', 'waypost domain add-all - < names.txt'],
    async run(call, [file]) {
      const lines = (await readText(file, call.io.stdin)).split(/\r?\n/).map((line) => line.trim());
      const domains = lines.filter((line) => line !== '' && !line.startsWith('#')).map((domain) => ({ domain }));
      if (domains.length === 0) throw new CliError('usage', `${file} names no domain; put one name on each line.`);
      const params = { query: { account: call.api.account } };
      const body = await call.api.POST('/api/v1/domains/batch', { params, body: { domains } });
      call.show(body, `created ${count(body.domains.length, 'domain')}`);
      return true;
    },
  });
  addDomainList(group, context);
  addVerb(group, context, {
    usage: 'show <name>',
    about: 'show a domain: nameservers, records, revision, proxy, state of a secondary zone, warnings',
    examples: ['waypost domain show example.com', 'waypost domain show example.com --json | jq .domain.nameservers'],
    async run(call, [name]) {
      const path = { domain_id: (await call.domain(name)).id };
      const body = await call.api.GET('/api/v1/domains/{domain_id}', { params: { path } });
      const { domain, primaries, secondary, catalog, listed_by: listedBy, warnings = [], ...rest } = body.domain;
      const more = {
        ...secondaryFields(primaries, secondary),
        ...stateFields('catalog', readableCatalog(catalog)),
        ...(listedBy !== null && { listed_by: listedBy }),
      };
      const lines = [...warnings, ...(secondary?.warnings ?? [])].map(({ message }) => `  ! ${shown(message)}`);
      call.show(body, domain, ...fields({ ...rest, ...more }), ...lines);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'transfer <name>',
    about: 'ask the primaries of a secondary zone now; transfers it if it has changed',
    options: [option('--force', 'transfer the whole zone, also if its serial is older or the same')],
    examples: ['waypost domain transfer example.net', 'waypost domain transfer example.net --force'],
    async run(call: Call<{ force?: boolean }>, [name]) {
      const path = { domain_id: (await call.domain(name)).id };
      const { force } = call.options;
      const body = await call.api.POST('/api/v1/domains/{domain_id}/transfer', { params: { path, query: { force } } });
      const { domain, secondary } = body.domain;
      const { state, serial, error } = secondary ?? {};
      call.show(body, `${domain}: ${shown(state)}, serial ${shown(serial)}`, ...(error ? [`  ${shown(error)}`] : []));
      return error === null;
    },
  });
  addVerb(group, context, {
    usage: 'primaries <name> <address...>',
    about: 'replace the primaries of a secondary zone; each as for "domain add --primary"',
    examples: ['waypost domain primaries example.net 192.0.2.1,key=1 192.0.2.2,key=1'],
    async run(call, [name, ...primaries]) {
      const body = await call.api.PUT('/api/v1/domains/{domain_id}/primaries', {
        params: { path: { domain_id: (await call.domain(name)).id } },
        body: { primaries: await primariesOf(call, primaries) },
      });
      call.show(body, `replaced the primaries of ${body.domain.domain}`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'distribution <name>',
    about: 'show or set the NS records of a domain, its secondaries, who may transfer it, and source addresses',
    options: [
      option('--nameserver <host...>', 'own NS records at the apex; "service" alone for those of the service'),
      option('--notify <address...>', 'secondaries that get NOTIFY, as ADDRESS or ADDRESS:PORT; "none" alone for none'),
      option('--allow-transfer <prefix...>', 'who may transfer the zone without a key; "none" alone refuses all'),
      option(
        '--transfer-source <address...>',
        'source addresses of NOTIFY and of requests to primaries, for all nodes; "none" alone for those of the nodes',
      ),
    ],
    examples: [
      'waypost domain distribution example.com',
      'waypost domain distribution example.com --nameserver ns1.example.com ns2.example.com',
      'waypost domain distribution example.com --notify 192.0.2.7 --allow-transfer 192.0.2.7',
    ],
    async run(call: Call<DistributionOptions>, [name]) {
      const { id: domain_id, domain } = await call.domain(name);
      const params = { path: { domain_id } };
      const { nameserver, notify, allowTransfer, transferSource } = call.options;
      const listOf = (values: string[] | undefined, none: string): string[] | undefined =>
        values?.length === 1 && values[0] === none ? [] : values;
      const wanted = {
        nameservers: listOf(nameserver, 'service'),
        also_notify: listOf(notify, 'none'),
        allow_transfer: listOf(allowTransfer, 'none'),
        transfer_source: listOf(transferSource, 'none'),
      };
      const isChange = Object.values(wanted).some((list) => list !== undefined);
      const path = '/api/v1/domains/{domain_id}/distribution';
      const body = isChange ? await call.api.PUT(path, { params, body: wanted }) : await call.api.GET(path, { params });
      const { warnings, ...parts } = body.distribution;
      const lines = Object.entries(parts).map(([field, value]) => [field, [value].flat().join(', ')]);
      call.show(body, domain, ...fields(Object.fromEntries(lines)), ...warnings.map((text) => `  warning: ${text}`));
      return true;
    },
  });
  addBinCommands(group, context);
}

interface DistributionOptions {
  nameserver?: string[];
  notify?: string[];
  allowTransfer?: string[];
  transferSource?: string[];
}

interface AddOptions {
  catalog?: boolean;
  allAccounts?: boolean;
  secondary?: boolean;
  primary?: string[];
}

type NewDomain = ApiBody<'createDomain'>;
type Primary = NonNullable<NewDomain['primaries']>[number];

/** Parses primaries for a request. Throws CliError. */
async function primariesOf(call: Call, texts: readonly string[]): Promise<Primary[]> {
  const primaries: Primary[] = [];
  for (const text of texts) primaries.push(await primaryOf(call, text));
  return primaries;
}

/** Parses a primary, `ADDRESS[,key=KEY][,tls=NAME][,pin=SHA256]`, for a request. */
async function primaryOf(call: Call, text: string): Promise<Primary> {
  const [address, ...attributes] = text.split(',');
  const primary: Primary = { address };
  const tls: Primary['tls'] = {};
  for (const attribute of attributes) {
    const [name, ...rest] = attribute.split('=');
    const value = rest.join('=');
    if (name === 'key' && value !== '') primary.tsig_key_id = await tsigKeyOf(call, value);
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

/** The id of a TSIG key by its name or id. Throws CliError. */
async function tsigKeyOf({ api }: Call, text: string): Promise<number> {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toLowerCase().replace(/\.$/, '');
  const ids: number[] = [];
  for await (const key of rows(api, '/api/v1/tsig-keys', 'tsig_keys', { query: { q: name, account: api.account } }))
    if (key.name === name) ids.push(key.id);
  if (ids.length === 1) return ids[0];
  if (ids.length === 0)
    throw new CliError('usage', `There is no TSIG key ${text}; "waypost tsig list" shows the keys of the account.`);
  throw new CliError('usage', `Several TSIG keys have the name ${text}; give the id of one: ${ids.join(', ')}.`);
}

/** Fields of a secondary zone that `show` prints. */
function secondaryFields(primaries: Domain['primaries'], secondary: Domain['secondary']): object {
  if (primaries === null) return {};
  const addresses = primaries.map(({ address }) => address).join(', ');
  const { signatures = null, warnings: _shownBelow, ...state } = secondary ?? {};
  return { primaries: addresses, ...stateFields('secondary', state), ...stateFields('signatures', signatures) };
}

/** Formats the omitted zones of a catalog as text. */
const readableCatalog = (catalog: Domain['catalog']): object | null =>
  catalog && { ...catalog, left_out: catalog.left_out.map(({ domain, message }) => `${domain}: ${message}`) };

/** Prefixes the fields of an object with its name. Empty if there is no object. */
const stateFields = (name: string, state: object | null): object =>
  Object.fromEntries(Object.entries(state ?? {}).map(([field, value]) => [`${name}_${field}`, value]));

/** Adds `domain list`, or the same command as `zone list`. */
export function addDomainList(parent: Command, context: CommandContext): void {
  const command = `waypost ${parent.name()} list`;
  addVerb(parent, context, {
    usage: 'list',
    about: 'list the domains of the account, with the number of records of each',
    options: [
      option('--filter <text>', 'only domains whose name contains this text'),
      option('--state <state>', 'only domains in this state: problems, proxied, signed or not_delegated'),
    ],
    examples: [
      command,
      `${command} --filter example`,
      `${command} --state problems`,
      `${command} --json | jq -r .domain`,
    ],
    async run(call: Call<{ filter?: string; state?: string }>) {
      const { filter, state } = call.options;
      // The API names the states that it knows.
      const query = { q: filter, state: state as 'problems' | undefined, account: call.api.account };
      await call.list(
        pages(call.api, '/api/v1/domains', 'domains', { query }),
        { DOMAIN: ({ domain }) => shown(domain).padEnd(40), RECORDS: ({ record_count }) => String(record_count) },
        'No domains found.',
      );
      return true;
    },
  });
}
