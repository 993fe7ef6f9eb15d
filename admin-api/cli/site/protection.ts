/** `waypost protection`: limits, challenge and TLS of the sites of a domain. */
import type { Command } from 'commander';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb } from '../base/verb.ts';
import { ifUnchanged, PROXY } from './document.ts';

const PROTECTION = `${PROXY}/protection` as const;
/** `challenge.mode=on` */
const FIELD = /^([a-z]+)\.([a-z_]+)=(.*)$/s;

export function addProtectionCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'protection', 'limits, challenge and TLS of the sites of a domain', [
    'waypost protection get example.com',
    'waypost protection set example.com challenge.mode=on',
    'waypost protection set example.com tls.client_certificates=required tls.client_authorities=@ca.pem',
  ]);
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'print all fields with their values',
    examples: ['waypost protection get example.com', 'waypost protection get example.com --json'],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.GET(PROTECTION, { params: { path: { domain_id } } });
      const [first, ...more] = fieldsOf(body);
      call.show(body, first, ...more);
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain> <field...>',
    about: 'set fields, such as challenge.mode=auto; "null" removes a limit, "@file" reads a file',
    more: 'Fields that are not named keep their values.',
    examples: [
      'waypost protection set example.com limits.connections=2000 slow.header_timeout=5',
      'waypost protection set example.com challenge.except=/api/,/feed.xml',
    ],
    async run(call, [domainName, ...fields]) {
      const changes = await Promise.all(fields.map(readField));
      const domain = await call.domain(domainName);
      const { ok: _, ...before } = await call.api.GET(PROTECTION, { params: { path: { domain_id: domain.id } } });
      const document: Record<string, unknown> = { ...before };
      for (const [section, name, value] of changes)
        document[section] = { ...(document[section] as object | undefined), [name]: value };
      // The daemon checks sections, names and values.
      const body = document as ApiBody<'setProtection'>;
      const changed = await call.api.PUT(PROTECTION, { params: ifUnchanged(domain, before), body });
      call.show(changed, `set ${fields.length} ${fields.length === 1 ? 'field' : 'fields'} of ${domain.domain}`);
      return true;
    },
  });
}

/** `challenge.mode = auto`, one line for each. */
function fieldsOf({ limits, slow, uploads, challenge, tls }: ApiResponse<'getProtection'>): string[] {
  return Object.entries({ limits, slow, uploads, challenge, tls }).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => `${section}.${name} = ${shown(value)}`),
  );
}

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : value === null ? 'null' : String(value).trim();

async function readField(field: string): Promise<readonly [section: string, name: string, value: unknown]> {
  const [, section, name, text] = FIELD.exec(field) ?? [];
  if (section === undefined)
    throw new CliError('invalid_field', `"${field}" is not a field with a value, such as challenge.mode=on.`);
  return [section, name, text.startsWith('@') ? await readText(text.slice(1)) : parseValue(name, text)];
}

/** Versions and modes are strings, even if they look like numbers. */
function parseValue(name: string, text: string): unknown {
  if (name === 'except') return text === '' ? [] : text.split(',');
  if (text === 'null') return null;
  return name !== 'min_version' && /^-?\d+$/.test(text) ? Number(text) : text;
}
