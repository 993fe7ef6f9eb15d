/** `waypost origins`: pools of origins for names and paths of a domain. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Columns } from '../base/table.ts';
import { addAccountGroup, addVerb } from '../base/verb.ts';
import { addListVerbs, PROXY } from './document.ts';

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
      const { id: domain_id } = await call.domain(domainName);
      const { entries } = await call.api.GET(`${PROXY}/origins/health`, { params: { path: { domain_id } } });
      const rows = entries.flatMap((entry) =>
        entry.origins.map((origin): Row => ({ ...origin, entry: describeEntry(entry) })),
      );
      await call.rows(rows, COLUMNS, 'The domain has no origins for names or paths.');
      return true;
    },
  });
}

type Entry = ApiResponse<'getOriginsHealth'>['entries'][number];
type Row = Entry['origins'][number] & { readonly entry: string };

/** As a URL: an IPv6 address has brackets (RFC 3986 section 3.2.2). */
const formatOrigin = ({ origin, port, protocol }: Row): string =>
  `${protocol}://${origin.includes(':') ? `[${origin}]` : origin}:${port}`;

const COLUMNS: Columns<Row> = {
  ENTRY: 'entry',
  ORIGIN: formatOrigin,
  WEIGHT: 'weight',
  STATE: ({ state, ejected_until }) => (ejected_until === null ? state : `${state}, ejected until ${ejected_until}`),
  SINCE: 'since',
  REASON: 'reason',
};

/** `www /api`, or the label of an entry for rules. */
function describeEntry({ name, path, label }: Entry): string {
  const parts = [name, path].filter((part) => part !== null).join(' ');
  return parts === '' ? `label ${label}` : parts;
}
