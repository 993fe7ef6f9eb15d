/** `waypost pkg`: commands for mini-app packages, for developers and reviewers. */

import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeFile } from '../../../core/base/write-file.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import { packageFolderOf } from '../../miniapp/audit/archive/package-folder.ts';
import { type ConformancePage, readConformance } from '../../miniapp/sdk/conformance.ts';
import { ISSUED_SDKS, SDK_SCRIPT } from '../../miniapp/sdk/issued.ts';
import { readIssued } from '../../miniapp/sdk/issued-files.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { count } from '../base/table.ts';
import { addGroup } from '../base/verb.ts';
import { addPkgDev } from './dev.ts';
import { addPkgInit } from './init.ts';
import { addPkgKeysCommands } from './keys.ts';
import { addPkgLint, lint, printText, SDK_OPTION } from './lint.ts';
import { addPkgReviewCommands } from './review.ts';
import { addPkgUploadCommands } from './upload.ts';

const PAGES: readonly ConformancePage[] = ['app', 'protocol'];

export function addPkgCommands(program: Command, context: CommandContext): void {
  const parent = addGroup(program, 'pkg', 'build, upload and review mini-app packages', [
    'waypost pkg init notes --template notes',
    'waypost pkg dev notes',
    'waypost pkg lint notes',
    'waypost pkg pack notes',
    'waypost pkg upload com.example.notes-0.1.0.pkg',
    'waypost pkg list',
    'waypost pkg queue',
  ]);
  addPkgInit(parent, context);
  addPkgDev(parent, context);
  addPkgLint(parent, context);
  addPkgPack(parent, context);
  addPkgUploadCommands(parent, context);
  addPkgSdk(parent, context);
  addPkgConformance(parent, context);
  addPkgReviewCommands(parent, context);
  addPkgKeysCommands(parent, context);
}

/** `waypost pkg conformance`: writes the pages that test a host. */
function addPkgConformance(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('conformance')
    .description('write the apps by which a host of mini-apps tests itself')
    .argument('<folder>', 'a new or empty folder')
    .addHelpText(
      'after',
      '\nFOLDER/app is a package that uses Host. FOLDER/protocol sends raw messages; the audit rejects it.\n' +
        '\nExamples:\n  $ waypost pkg conformance conformance\n  $ waypost pkg dev conformance/app\n',
    )
    .action(
      action<Record<string, never>>(async ({ json }, [folder = '.']) => {
        makeFolder(folder, 0o777);
        if ((await readdir(folder)).length > 0)
          throw new CliError('folder_not_empty', `${folder} is not empty`, { next: 'Choose a new folder.' });
        const folders = PAGES.map((page) => join(folder, page));
        for (const [index, page] of PAGES.entries()) {
          makeFolder(folders[index], 0o777);
          for (const [name, bytes] of Object.entries(readConformance(page)))
            await writeFile(join(folders[index], name), bytes, { flag: 'wx' });
        }
        if (json) print(io.stdout, JSON.stringify({ ok: true, folders }));
        else print(io.stdout, `wrote ${folders.join(' and ')}`);
        return true;
      }),
    );
}

/** `waypost pkg sdk`: writes an issued SDK into the folder of an app. */
function addPkgSdk(parent: Command, { io, action }: CommandContext): void {
  const versions = ISSUED_SDKS.map(({ version }) => version);
  parent
    .command('sdk')
    .description('write host-sdk.js of an issued SDK into the folder of an app')
    .argument('[folder]', 'the folder with manifest.json', '.')
    .option('--release <version>', `the version (default: the newest, ${versions[0]})`)
    .option('--typings <file>', 'also write the types of pages for TypeScript to this file')
    .option('--background-typings <file>', 'also write the types of background files to this file')
    .addHelpText('after', '\nExamples:\n  $ waypost pkg sdk notes\n  $ waypost pkg sdk notes --typings host-sdk.d.ts\n')
    .action(
      action<{ release?: string; typings?: string; backgroundTypings?: string }>(
        async ({ release = versions[0], typings, backgroundTypings, json }, [folder = '.']) => {
          if (!versions.includes(release))
            throw new CliError('no_such_sdk', `there is no SDK ${release}`, {
              next: `Choose ${versions.join(' or ')}.`,
            });
          const path = join(await packageFolderOf(folder), SDK_SCRIPT);
          await requireFolder(folder);
          const files = readIssued(release);
          const written = [path];
          const write = async (file: string | undefined, bytes: Uint8Array): Promise<void> => {
            if (file === undefined) return;
            await mkdir(dirname(file), { recursive: true });
            await writeFile(file, bytes);
            written.push(file);
          };
          await writeFile(path, files.script);
          await write(typings, files.typings);
          await write(backgroundTypings, files.backgroundTypings);
          if (json) print(io.stdout, JSON.stringify({ ok: true, version: release, files: written }));
          else print(io.stdout, `wrote ${written.join(' and ')} of SDK ${release}`);
          return true;
        },
      ),
    );
}

async function requireFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new CliError('no_folder', `${folder} is not a folder`, {
      next: 'Create the app with "waypost pkg init FOLDER".',
    });
}

/** `waypost pkg pack`: packs a folder into a .pkg; the same files give the same bytes. */
function addPkgPack(parent: Command, { io, action }: CommandContext): void {
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
        if (!options.json && audit.findings.length > 0) printText(io, io.stderr, audit);
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
