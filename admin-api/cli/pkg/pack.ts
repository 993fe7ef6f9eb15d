/** `waypost pkg pack`: packs a folder into a .pkg; the same files give the same bytes. */
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { packageFolderOf } from '../../miniapp/audit/archive/package-folder.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { count } from '../base/table.ts';
import { lint, printText, SDK_OPTION } from './lint.ts';

export function addPkgPack(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('pack')
    .description('audit a folder and pack it into an archive')
    .argument('<folder>', 'the folder with manifest.json, or with app/manifest.json')
    .option('-o, --out <file>', 'the archive to write (default: ID-VERSION.pkg in the current folder)')
    .option('--force', 'pack despite errors, except errors of the archive itself')
    .addOption(SDK_OPTION)
    .addHelpText(
      'after',
      '\nExamples:\n  $ waypost pkg pack notes/\n  $ waypost pkg pack notes/ --out build/notes.pkg\n',
    )
    .action(
      action<{ out?: string; force?: boolean; sdk?: readonly string[] }>(async (options, [path]) => {
        const folder = await packageFolderOf(path);
        const audit = await lint(folder, options.sdk);
        if (!options.json && audit.findings.length > 0) await printText(io, io.stderr, audit);
        if (audit.summary.errors > 0 && !options.force)
          throw new CliError('package_has_errors', `${folder} has ${count(audit.summary.errors, 'error')}`, {
            next: 'Fix the errors that "waypost pkg lint" reports, or pack with --force.',
          });
        const { id, version } = audit.manifest ?? {};
        const out = options.out ?? `${id ?? 'package'}-${version ?? '0'}.pkg`;
        await rejectInside(out, folder);
        const written = await pack(folder, out);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, file: out, ...written, verdict: audit.verdict }));
        else print(io.stdout, `${out}: ${written.size} bytes, SHA-256 ${written.sha256}`);
        return true;
      }),
    );
}

/** Rejects an archive inside the folder, because the next package would contain it. */
async function rejectInside(out: string, folder: string): Promise<void> {
  const below = relative(await realpath(folder), join(await realpath(dirname(resolve(out))), 'x'));
  if (below.startsWith('..')) return;
  throw new CliError('package_in_folder', `${out} is inside ${folder} and would become part of the next package`, {
    next: 'Choose a path outside the folder with --out.',
  });
}

async function pack(folder: string, out: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const { openFolder } = await import('../../miniapp/audit/archive/open-folder.ts');
  const { writeArchive } = await import('../../miniapp/audit/archive/write-archive.ts');
  const { DEFAULT_LIMITS } = await import('../../miniapp/audit/archive/limits.ts');
  const { Findings } = await import('../../miniapp/audit/findings.ts');
  const findings = new Findings();
  const content = await openFolder(folder, DEFAULT_LIMITS, findings);
  const written = content && (await writeArchive(content, out, DEFAULT_LIMITS, findings));
  await content?.close();
  if (written !== undefined) return written;
  throw new CliError('package_unpackable', findings.list()[0]?.message ?? 'a file could not be read', {
    next: 'Run "waypost pkg lint" to see all errors.',
  });
}
