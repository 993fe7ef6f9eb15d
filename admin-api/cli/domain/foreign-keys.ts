/** `waypost dnssec foreign-keys`: keys of other providers of a zone (RFC 8901). */
import type { Command } from 'commander';
import { type ApiClient, asObject, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { type Domain, domainPath } from '../base/domains.ts';
import { rowsOf } from '../base/pages.ts';
import { shown } from '../base/table.ts';
import { addGroup, addVerb } from '../base/verb.ts';

const KEYS = '/dnssec/foreign-keys';

/** `words`: rdata of a DNSKEY, or a whole record as a line of a zone file or of dig. */
function dnskeyOf(words: readonly string[]): string {
  return words
    .join(' ')
    .trim()
    .replace(/^.*\sDNSKEY\s+/i, '');
}

/** Yields a single page: the list is short. */
async function* listKeys(api: ApiClient, domain: Domain): AsyncGenerator<readonly Json[]> {
  const body = await api.json({ method: 'GET', path: domainPath(domain, KEYS) });
  yield rowsOf(body.foreign_keys);
}

export function addForeignKeyCommands(dnssec: Command, context: CommandContext): void {
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
      const domain = await call.domain(name);
      const json = { dnskey: dnskeyOf(words) };
      const body = await call.api.json({ method: 'POST', path: domainPath(domain, KEYS), json });
      const key = asObject(body.foreign_key);
      call.show(body, `added foreign key ${shown(key?.id)} with key tag ${shown(key?.key_tag)} to ${domain.domain}`);
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
      const domain = await call.domain(name);
      const columns = { ID: 'id', CREATED: 'created_at', TAG: 'key_tag', DNSKEY: 'dnskey' };
      await call.list(listKeys(call.api, domain), columns, `${domain.domain} has no foreign keys.`);
      return true;
    },
  });
  addVerb(keys, context, {
    usage: 'rm <domain> <id>',
    about: 'remove a key of another provider, once no cache has its signatures',
    examples: ['waypost dnssec foreign-keys rm example.com 3'],
    async run(call, [name, id]) {
      const domain = await call.domain(name);
      const path = domainPath(domain, `${KEYS}/${encodeURIComponent(id)}`);
      const body = await call.api.json({ method: 'DELETE', path });
      call.show(body, `removed foreign key ${id} of ${domain.domain}`);
      return true;
    },
  });
}
