/** `waypost pkg sdk`: writes an issued SDK into the folder of an app. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { writeFile } from '../../../core/base/write-file.ts';
import { packageFolderOf } from '../../miniapp/audit/archive/package-folder.ts';
import { ISSUED_SDKS, SDK_SCRIPT } from '../../miniapp/sdk/issued.ts';
import { readIssued } from '../../miniapp/sdk/issued-files.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';

export function addPkgSdk(parent: Command, { io, action }: CommandContext): void {
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
