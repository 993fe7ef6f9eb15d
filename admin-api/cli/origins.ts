/** `waypost origins`: pools of origins for names and paths of a domain. */
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { asText, type Json } from './client.ts';
import type { CommandContext } from './command.ts';
import { type Domain, domainPath } from './domains.ts';
import { CliError } from './errors.ts';
import type { Input } from './io.ts';
import { rowsOf } from './pages.ts';
import { addAccountGroup, addVerb, type Call, option } from './verb.ts';

const pathOf = (domain: Domain): string => domainPath(domain, '/proxy/origins');

export function addOriginsCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'origins', 'pools of origins for names and paths of a domain', [
    'waypost origins get example.com > origins.json',
    'waypost origins set example.com origins.json',
    'waypost origins status example.com',
  ]);
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'print the document of a domain, which "set" reads',
    examples: ['waypost origins get example.com > origins.json'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const { origins, revision } = await call.api.json({ method: 'GET', path: pathOf(domain) });
      call.io.stdout.write(`${JSON.stringify({ origins, revision }, null, 2)}\n`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain> <file>',
    about: 'replace the document of a domain; "-" reads standard input',
    options: [option('--force', 'also if the document has changed since its "revision" was read')],
    examples: [
      'waypost origins set example.com origins.json',
      'echo \'{"origins":[]}\' | waypost origins set example.com -',
    ],
    async run(call: Call<{ force?: boolean }>, [domainName, file]) {
      const json = await readDocument(file, call.io.stdin);
      const domain = await call.domain(domainName);
      const isFree = call.options.force === true || json.revision === undefined;
      const headers = { 'if-match': isFree ? '*' : `"${json.revision}"` };
      const body = await call.api.json({ method: 'PUT', path: pathOf(domain), json, headers });
      const count = rowsOf(body.origins).length;
      call.show(body, `set ${count} ${count === 1 ? 'entry' : 'entries'} of ${domain.domain}`);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'status <domain>',
    about: 'show which origins are up, down or ejected',
    examples: ['waypost origins status example.com', 'waypost origins status example.com --json | jq .state'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'GET', path: `${pathOf(domain)}/health` });
      const rows = rowsOf(body.entries).flatMap((entry) =>
        rowsOf(entry.origins).map((origin): Json => ({ ...origin, entry: describeEntry(entry) })),
      );
      await call.list(listOf(rows), COLUMNS, 'The domain has no origins for names or paths.');
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

async function* listOf(rows: readonly Json[]): AsyncGenerator<readonly Json[]> {
  yield rows;
}

async function readDocument(file: string, stdin: Input): Promise<Record<string, unknown>> {
  const content = await (file === '-' ? readText(stdin) : readFile(file, 'utf8')).catch((error: Error) => {
    throw new CliError('unreadable', `${file} cannot be read: ${error.message}`);
  });
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new CliError('no_json', `${file} is not a JSON object such as {"origins":[]}.`);
}
