/** `waypost support-bundle`: one file that describes a node for support, without secrets. */
import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { ZipFile } from 'yazl';
import { writeFileSync } from '../../../core/base/write-file.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { doctorOptions } from './doctor.ts';

interface BundleOptions {
  readonly withNames?: boolean;
  readonly lines: number;
  readonly log?: string;
  readonly dryRun?: boolean;
}

const MAX_LINES = 100_000;

function parseLines(text: string): number {
  const lines = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (lines < 1 || lines > MAX_LINES) throw new InvalidArgumentError(`Use a number from 1 to ${MAX_LINES}.`);
  return lines;
}

export function addSupportBundleCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('support-bundle')
    .argument('[zip]', 'the file to write', 'waypost-support.zip')
    .option('--with-names', 'keep names and addresses of customers')
    .option('--lines <count>', 'lines of the log', parseLines, 2000)
    .option('--log <file>', 'the file with the log, instead of the journal of systemd')
    .option('--dry-run', 'only list what the file would hold')
    .description('write a file for support, without secrets')
    .addHelpText(
      'after',
      `
The file has versions, settings, the findings of "waypost doctor", status, metrics, the log, and sizes of the database. Values of secret settings,
passwords, tokens and keys are removed. If a secret that this command knows is still in it, nothing is written. Zones and records are never in it.
Names and addresses of customers are replaced by numbers. Read MANIFEST.md, log.txt and configuration.json before you send it.

Examples:
  $ sudo waypost support-bundle
  $ waypost support-bundle --lines 200 --log waypost.log waypost-support.zip
`,
    )
    .action(
      action<BundleOptions>(async (options, [file = 'waypost-support.zip']) => {
        const { Context, collectSupport, leaksOf } = await import('../doctor/index.ts');
        const context = new Context(doctorOptions(io, options));
        try {
          const { build } = io;
          const { lines, log, withNames = false } = options;
          const bundle = await collectSupport({ context, build, lines, log, withNames });
          const leaks = leaksOf(bundle);
          if (leaks.length > 0)
            throw new CliError('secret_found', `Nothing was written: secrets are still in it (${leaks.join('; ')}).`, {
              next: 'Use other values for these secrets, or leave the log out with --log /dev/null; please report this.',
            });
          const { entries } = bundle;
          if (!options.json) print(io.stdout, entries[0].text.trimEnd());
          if (options.dryRun !== true) write(file, await archiveOf(entries));
          if (options.json) {
            const files = entries.map(({ name, about, text }) => ({ name, bytes: Buffer.byteLength(text), about }));
            print(io.stdout, JSON.stringify({ ok: true, file: options.dryRun ? null : file, files }));
          } else if (options.dryRun !== true) print(io.stdout, `\nwritten to ${file}`);
          return true;
        } finally {
          await context.close();
        }
      }),
    );
}

async function archiveOf(entries: readonly { readonly name: string; readonly text: string }[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, text } of entries) zip.addBuffer(Buffer.from(text), name, { mode: 0o100600 });
  zip.end();
  return buffer(zip.outputStream);
}

function write(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CliError('file_exists', `${file} exists already.`, { next: 'Give another name, or move it away.' });
  }
}
