/** `waypost dnssec`: signatures of a domain, and its DS records at the registrar. */
import { type Command, Option } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { Change } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { ApiError, CliError } from '../base/errors.ts';
import { rows } from '../base/pages.ts';
import { shown } from '../base/table.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addGroup, addVerb, type Call, option, YES } from '../base/verb.ts';

type State = ApiResponse<'getDnssec'>;

const DNSSEC = '/api/v1/domains/{domain_id}/dnssec';
const KEYS = `${DNSSEC}/foreign-keys` as const;

const DS_FIELDS = [
  ['Key tag', 'key_tag'],
  ['Algorithm', 'algorithm'],
  ['Digest type', 'digest_type'],
  ['Digest', 'digest'],
] as const;

const DNSKEY_FIELDS = [
  ['Flags', 'flags'],
  ['Protocol', 'protocol'],
  ['Algorithm', 'algorithm'],
  ['Public key', 'public_key'],
] as const;

interface Params {
  readonly path: { readonly domain_id: number };
}

/** Sends a request for a domain and shows its state. */
async function send(call: Call, name: string, request: (params: Params) => Promise<State & Change>): Promise<boolean> {
  const { id: domain_id, domain } = await call.domain(name);
  const body = await request({ path: { domain_id } });
  call.show(body, ...describeDnssec(domain, body));
  return true;
}

export function addDnssecCommands(program: Command, context: CommandContext): void {
  const dnssec = addAccountGroup(program, 'dnssec', 'sign a domain, and set its DS record at the registrar', [
    'waypost dnssec enable example.com',
    'waypost dnssec ds example.com',
    'waypost dnssec status example.com --check',
  ]);
  addVerb(dnssec, context, {
    usage: 'enable <domain>',
    about: 'sign the zone',
    options: [
      new Option(
        '--algorithm <number>',
        '13 (ECDSA P-256) or 15 (Ed25519); default: 13; 8 or 10 of an RSA key in PEM',
      ).choices(['8', '10', '13', '15']),
      option('--key <file>', 'the private key of a zone that is signed elsewhere: a BIND file, or PKCS #8 in PEM'),
      option(
        '--foreign-keys <file>',
        'with --key: the DNSKEY records of that provider, one a line; "-": standard input',
      ),
    ],
    more: 'Resolvers validate the domain once its DS record is set at the registrar: "waypost dnssec ds".',
    examples: [
      'waypost dnssec enable example.com',
      'waypost dnssec enable example.com --algorithm 15',
      'waypost dnssec enable example.com --key Kexample.com.+013+12345.private',
      'dig @ns.other.example example.com DNSKEY +short | waypost dnssec enable example.com --key ksk.private --foreign-keys -',
    ],
    async run(call: Call<{ algorithm?: string; key?: string; foreignKeys?: string }>, [name]) {
      const { algorithm, key, foreignKeys } = call.options;
      const body = {
        enabled: true,
        algorithm: algorithm === undefined ? undefined : Number(algorithm),
        private_key: key === undefined ? undefined : await readText(key),
        foreign_keys: foreignKeys === undefined ? undefined : dnskeysOf(await readText(foreignKeys, context.io.stdin)),
      };
      return send(call, name, (params) => call.api.PUT(DNSSEC, { params, body }));
    },
  });
  addVerb(dnssec, context, {
    usage: 'disable <domain>',
    about: 'stop signing the zone, once its DS records are gone',
    options: [option('--force', 'begin while the parent has a DS record; if it has none, stop at once'), YES],
    more: 'Remove the DS records at the registrar first. The zone stays signed until no cache has them. With --force, CDS records ask the parent to remove them, and the zone stays signed until they are gone.',
    examples: ['waypost dnssec disable example.com', 'waypost dnssec disable example.com --force --yes'],
    async run(call: Call<{ force?: boolean }>, [name]) {
      const { force } = call.options;
      if (force)
        await call.confirm(
          `Stop signing ${name}? Unless its parent has a DS record, this is at once, and resolvers with a cached one reject the domain for hours.`,
        );
      return send(call, name, (params) => call.api.PUT(DNSSEC, { params, body: { enabled: false, force } }));
    },
  });
  addVerb(dnssec, context, {
    usage: 'status <domain>',
    about: 'show the state, the keys, and what the parent zone has',
    options: [option('--check', 'ask the nameservers of the parent zone now')],
    examples: ['waypost dnssec status example.com', 'waypost dnssec status example.com --check --json | jq .error'],
    async run(call: Call<{ check?: boolean }>, [name]) {
      return send(call, name, (params) =>
        call.options.check ? call.api.POST(`${DNSSEC}/check`, { params }) : call.api.GET(DNSSEC, { params }),
      );
    },
  });
  addVerb(dnssec, context, {
    usage: 'ds <domain>',
    about: 'show what to enter at the registrar, for each kind of form',
    examples: ['waypost dnssec ds example.com', 'waypost dnssec ds example.com --json | jq -r ".ds[].record"'],
    async run(call, [name]) {
      const { id: domain_id, domain } = await call.domain(name);
      const body = await call.api.GET(DNSSEC, { params: { path: { domain_id } } });
      call.show(body, ...describeForms(domain, body));
      return true;
    },
  });
  addVerb(dnssec, context, {
    usage: 'rollover <domain>',
    about: 'replace the key of the zone or its algorithm, or cancel that',
    options: [
      new Option('--algorithm <number>', 'of the new key: 13 or 15; default: that of the zone').choices(['13', '15']),
      option('--emergency', 'the private key may be known to others: shorten the waiting times'),
      option('--cancel', 'cancel the rollover, as long as the new key does not sign the zone'),
    ],
    more: 'When the state is "rolling_ds", replace the DS record at the registrar. All other steps are automatic.',
    examples: [
      'waypost dnssec rollover example.com',
      'waypost dnssec rollover example.com --algorithm 15',
      'waypost dnssec rollover example.com --cancel',
    ],
    async run(call: Call<{ algorithm?: string; emergency?: boolean; cancel?: boolean }>, [name]) {
      const { algorithm, emergency = false, cancel } = call.options;
      const body = { emergency, algorithm: algorithm === undefined ? undefined : Number(algorithm) };
      return send(call, name, (params) =>
        cancel
          ? call.api.POST(`${DNSSEC}/rollover/cancel`, { params })
          : call.api.POST(`${DNSSEC}/rollover`, { params, body }),
      );
    },
  });
  addVerb(dnssec, context, {
    usage: 'resign [domain]',
    about: 'sign a zone again by the present clock, or all zones',
    options: [
      option('--all', 'all signed zones of the account; for an administrator without --account: of all accounts'),
    ],
    more: 'Signatures are replaced in time without this command. It is for zones whose signatures have wrong times, as after a wrong clock.',
    examples: ['waypost dnssec resign example.com', 'waypost dnssec resign --all'],
    async run(call: Call<{ all?: boolean }>, [name]) {
      const { all = false } = call.options;
      if (all === (name !== undefined))
        throw new CliError('usage', 'Name one domain, or use --all for all signed zones.');
      if (all) return resignAll(call);
      return send(call, name, (params) => call.api.POST(`${DNSSEC}/resign`, { params }));
    },
  });
  addForeignKeyCommands(dnssec, context);
}

/** Signs all signed zones again; skips a zone that fails. Returns whether no zone failed. */
async function resignAll(call: Call<object>): Promise<boolean> {
  const { api } = call;
  const accounts = api.account === undefined ? await accountsOf(call) : [api.account];
  let [signed, failed] = [0, 0];
  for (const account of accounts)
    for await (const { id, domain, dnssec_status } of rows(api, '/api/v1/domains', 'domains', { query: { account } })) {
      if (dnssec_status === 'off') continue;
      try {
        await api.POST(`${DNSSEC}/resign`, { params: { path: { domain_id: id } } });
        signed++;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 401 || error.status === 503) throw error;
        failed++;
        call.note(`${domain}: ${error.message}`);
      }
    }
  call.show({ signed, failed }, `signing ${signed} zones again${failed > 0 ? `; ${failed} could not be` : ''}`);
  return failed === 0;
}

/** All accounts for an administrator; otherwise only the account of the token. */
async function accountsOf({ api }: Call<object>): Promise<(number | undefined)[]> {
  try {
    const ids: number[] = [];
    for await (const { id } of rows(api, '/api/v1/accounts', 'accounts')) ids.push(id);
    return ids;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [undefined];
    throw error;
  }
}

/** Describes the DNSSEC state of a domain for people. */
function describeDnssec(domain: string, body: State): [string, ...string[]] {
  const { parent, error } = body;
  if (body.status === 'off')
    return [`${domain}: not signed`, `  next: Sign it with "waypost dnssec enable ${domain}".`];
  return [
    `${domain}: ${shown(body.status)}`,
    `  next         ${shown(body.next_step)}`,
    ...(body.next_at ? [`  expected     ${shown(body.next_at)} UTC`] : []),
    ...body.keys.map(
      ({ key_tag, algorithm, state, created_at }) =>
        `  key          ${shown(key_tag)}, algorithm ${shown(algorithm)}, ${shown(state)}, since ${shown(created_at)}`,
    ),
    ...body.ds.map(({ record }) => `  ds           ${shown(record)}`),
    parent === null ? '  parent       not asked yet' : parentLine(parent),
    `  signatures   valid until ${shown(body.signatures.earliest_expiry)} or later`,
    ...(error === null ? [] : [`  error        ${shown(error.message)}`]),
  ];
}

function parentLine({ zone, ds, servers, answered, checked_at }: NonNullable<State['parent']>): string {
  const records = ds.length > 0 ? `DS ${ds.map(shown).join('; ')}` : 'no DS';
  return `  parent       ${zone === '' ? 'the root zone' : shown(zone)}: ${records} (${shown(answered)} of ${shown(servers)} servers, ${shown(checked_at)})`;
}

/** The fields of registrars' forms. */
function describeForms(domain: string, { status, ds, dnskey, next_step }: State): [string, ...string[]] {
  if (ds.length === 0) {
    const next =
      status === 'off'
        ? `Sign the zone with "waypost dnssec enable ${domain}".`
        : 'Remove all DS records at the registrar.';
    return [`${domain}: no DS record`, `  next: ${next}`];
  }
  const fields = <Row>(row: Row, names: readonly (readonly [string, keyof Row])[]): string[] =>
    names.map(([label, name]) => `  ${label.padEnd(13)}${shown(row[name])}`);
  return [
    `${domain}: enter one of these forms at the registrar`,
    ...ds.flatMap((row) => ['', 'Form with a DS record:', ...fields(row, DS_FIELDS), '', `  ${shown(row.record)}`]),
    ...dnskey.flatMap((row) => ['', 'Form with a DNSKEY record:', ...fields(row, DNSKEY_FIELDS)]),
    '',
    shown(next_step),
  ];
}

/** `words`: rdata of a DNSKEY, or a whole record as a line of a zone file or of dig. */
function dnskeyOf(words: readonly string[]): string {
  return words
    .join(' ')
    .trim()
    .replace(/^.*\sDNSKEY\s+/i, '');
}

/** The DNSKEY records of a file: of a zone, of BIND's keys, or as dig prints them. */
const dnskeysOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^\s*[^;\s]/.test(line))
    .map((line) => dnskeyOf([line]));

/** `waypost dnssec foreign-keys`: keys of other providers of a zone (RFC 8901). */
function addForeignKeyCommands(dnssec: Command, context: CommandContext): void {
  const keys = addGroup(dnssec, 'foreign-keys', 'keys of another provider of the zone: add, list, remove', [
    'waypost dnssec foreign-keys add example.com 257 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWz…',
    'waypost dnssec foreign-keys list example.com',
  ]);
  addVerb(keys, context, {
    usage: 'add <domain> <dnskey...>',
    about: 'add the DNSKEY record of another provider to those of the zone',
    more: 'Flags, protocol, algorithm and public key, or a whole record. The other provider must add the key of this zone, too.',
    examples: [
      'waypost dnssec foreign-keys add example.com 257 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWz…',
      'waypost dnssec foreign-keys add example.com "$(dig @ns.other.example example.com DNSKEY +short)"',
    ],
    async run(call, [name, ...words]) {
      const { id: domain_id, domain } = await call.domain(name);
      const body = await call.api.POST(KEYS, { params: { path: { domain_id } }, body: { dnskey: dnskeyOf(words) } });
      const { id, key_tag } = body.foreign_key;
      call.show(body, `added foreign key ${id} with key tag ${key_tag} to ${domain}`);
      return true;
    },
  });
  addVerb(keys, context, {
    usage: 'list <domain>',
    about: 'list the keys of other providers',
    examples: [
      'waypost dnssec foreign-keys list example.com',
      'waypost dnssec foreign-keys list example.com --json | jq -r .dnskey',
    ],
    async run(call, [name]) {
      const { id: domain_id, domain } = await call.domain(name);
      const { foreign_keys } = await call.api.GET(KEYS, { params: { path: { domain_id } } });
      await call.rows(
        foreign_keys,
        { ID: 'id', CREATED: 'created_at', TAG: 'key_tag', DNSKEY: 'dnskey' },
        `${domain} has no foreign keys.`,
      );
      return true;
    },
  });
  addVerb(keys, context, {
    usage: 'rm <domain> <id>',
    about: 'remove a key of another provider, once no cache has its signatures',
    examples: ['waypost dnssec foreign-keys rm example.com 3'],
    async run(call, [name, id]) {
      const { id: domain_id, domain } = await call.domain(name);
      const params = { path: { domain_id, foreign_key_id: id } };
      const body = await call.api.DELETE(`${KEYS}/{foreign_key_id}`, { params });
      call.show(body, `removed foreign key ${id} of ${domain}`);
      return true;
    },
  });
}
