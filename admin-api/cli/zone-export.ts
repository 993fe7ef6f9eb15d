import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { withClient } from './client.ts';
import { domainPath, findDomain } from './domains.ts';
import { CliError } from './errors.ts';
import { print } from './io.ts';
import type { CommandContext } from './run.ts';

export function addZoneExport(zone: Command, { io, action }: CommandContext): void {
  zone
    .command('export')
    .description('write a zone as an RFC 1035 master file')
    .argument('<name>', 'the zone')
    .option('--out <file>', 'the file to write, whole or not at all (default: standard output)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ waypost zone export example.net\n  $ waypost zone export example.net --out example.net.zone\n',
    )
    .action(
      action<{ out?: string }>((options, [name]) =>
        withClient(io, options, async (client) => {
          const domain = await findDomain(client, name);
          if (domain === undefined) {
            throw new CliError('no_such_zone', `This account has no zone "${name}".`, {
              next: 'See "waypost zone list" for the zones that it has.',
            });
          }
          const headers = { accept: 'text/dns' };
          const { body } = await client.send({ method: 'GET', path: domainPath(domain, '/zonefile'), headers });
          if (options.out === undefined) {
            await pipeline(body, io.stdout, { end: false });
            return true;
          }
          await writeWhole(body, options.out);
          print(io.stderr, `wrote ${options.out}`);
          return true;
        }),
      ),
    );
}

/** Beside the file first, then renamed over it: an export that breaks off leaves the old file. */
async function writeWhole(body: NodeJS.ReadableStream, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(body, createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CliError(
      'not_written',
      `${file} could not be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}
