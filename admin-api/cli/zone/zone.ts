/** `waypost zone`: zone files of domains. */

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { ACCOUNT } from '../base/accounts.ts';
import type { CommandContext } from '../base/command.ts';
import { exportZone, OTHER_SERVERS } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { addVerb, type Call, option } from '../base/verb.ts';
import { addDomainList } from '../domain/domain.ts';
import { addZoneCheck } from './check.ts';
import { addZoneImport } from './import.ts';

export function addZoneCommands(program: Command, context: CommandContext): void {
  const zone = program.command('zone').description('zones as zone files: import, export, check').addOption(ACCOUNT);
  addDomainList(zone, context);
  addZoneImport(zone, context);
  addZoneExport(zone, context);
  addZoneCheck(zone, context);
}

/** `waypost zone export`: writes a domain as a zone file. */
function addZoneExport(zone: Command, context: CommandContext): void {
  addVerb(zone, context, {
    usage: 'export <name>',
    about: 'write a zone as an RFC 1035 zone file',
    options: [
      option('--out <file>', 'the file to write (default: standard output); a failed export does not change it'),
      option(
        '--for <server>',
        'the server that reads the file: with the addresses of ALIAS records in their place (default: Waypost)',
      ).choices([...OTHER_SERVERS]),
    ],
    examples: [
      'waypost zone export example.net',
      'waypost zone export example.net --out example.net.zone',
      'waypost zone export example.net --for bind --out example.net.zone',
    ],
    async run(call: Call<{ out?: string; for?: (typeof OTHER_SERVERS)[number] }>, [name]) {
      const { out, for: reader } = call.options;
      const { json } = call.options;
      const found = await call.domain(name);
      const { domain } = found;
      const body = await exportZone(call.api, found, reader);
      if (out !== undefined) {
        await writeWhole(body, out);
        if (json) call.document({ ok: true, domain, file: out });
        else call.note(`wrote ${out}`);
      } else if (json) call.document({ ok: true, domain, zonefile: await body.text() });
      else await pipeline(body, call.io.stdout, { end: false });
      return true;
    },
  });
}

/** Writes to a temporary file and renames it: a failed export leaves the old file unchanged. */
async function writeWhole(body: NodeJS.ReadableStream, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(body, createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CliError('not_written', `Cannot write ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
