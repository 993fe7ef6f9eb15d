/** `waypost pkg conformance`: writes the pages that test a host. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { writeFile } from '../../../core/base/write-file.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import { type ConformancePage, readConformance } from '../../miniapp/sdk/conformance.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';

const PAGES: readonly ConformancePage[] = ['app', 'protocol'];

export function addPkgConformance(parent: Command, { io, action }: CommandContext): void {
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
