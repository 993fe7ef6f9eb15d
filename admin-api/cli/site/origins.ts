/** `waypost origins`: pools of origins for names and paths of a domain. */
import type { Command } from 'commander';
import { asText, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { rowsOf } from '../base/pages.ts';
import { addAccountGroup, addVerb } from '../base/verb.ts';
import { addListVerbs, documentPath } from './document.ts';

const DOCUMENT = { kind: 'origins', nouns: ['entry', 'entries'] } as const;

export function addOriginsCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'origins', 'pools of origins for names and paths of a domain', [
    'waypost origins get example.com > origins.json',
    'waypost origins set example.com origins.json',
    'waypost origins status example.com',
  ]);
  addListVerbs(group, context, DOCUMENT);
  addVerb(group, context, {
    usage: 'status <domain>',
    about: 'show which origins are up, down or ejected',
    examples: ['waypost origins status example.com', 'waypost origins status example.com --json | jq .state'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'GET', path: `${documentPath(domain, DOCUMENT.kind)}/health` });
      const rows = rowsOf(body.entries).flatMap((entry) =>
        rowsOf(entry.origins).map((origin): Json => ({ ...origin, entry: describeEntry(entry) })),
      );
      await call.rows(rows, COLUMNS, 'The domain has no origins for names or paths.');
      return true;
    },
  });
}

/** As a URL: an IPv6 address has brackets (RFC 3986 section 3.2.2). */
function formatOrigin({ origin, port, protocol }: Json): string {
  const host = asText(origin) ?? '';
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const COLUMNS = {
  ENTRY: 'entry',
  ORIGIN: formatOrigin,
  WEIGHT: 'weight',
  STATE: (row: Json) => (row.ejected_until == null ? row.state : `${row.state}, ejected until ${row.ejected_until}`),
  SINCE: (row: Json) => row.since ?? '-',
  REASON: (row: Json) => row.reason ?? '-',
};

/** `www /api`, or the label of an entry for rules. */
function describeEntry({ name, path, label }: Json): string {
  const parts = [asText(name), asText(path)].filter((part) => part !== undefined).join(' ');
  return parts === '' ? `label ${asText(label)}` : parts;
}
