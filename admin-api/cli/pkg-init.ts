/** `waypost pkg init`: creates a starter app that passes the linter. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { makeFolder } from '../../core/store/folder.ts';
import type { CommandContext } from './command.ts';
import { CliError } from './errors.ts';
import { print } from './io.ts';
import { newApp } from './pkg-template.ts';

export function addPkgInit(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('init')
    .description('create a starter app')
    .argument('[folder]', 'a new or empty folder', '.')
    .option('--id <id>', 'the id of the app: a domain name of yours in reverse order', 'com.example.app')
    .option('--name <name>', 'the name that users see', 'New app')
    .option('--sdk <file>', 'another host-sdk.js (default: the newest issued SDK)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ waypost pkg init notes --id com.example.notes --name Notes\n  $ waypost pkg lint notes\n',
    )
    .action(
      action<{ id: string; name: string; sdk?: string }>(async ({ id, name, sdk, json }, [folder = '.']) => {
        const content = sdk === undefined ? undefined : await readFile(sdk);
        // Readable for all users, because a web server may serve it.
        makeFolder(folder, 0o777);
        if ((await readdir(folder)).length > 0)
          throw new CliError('folder_not_empty', `${folder} is not empty`, { next: 'Choose a new folder.' });
        const files = newApp({ id, name, sdk: content });
        for (const [path, bytes] of Object.entries(files)) await writeFile(join(folder, path), bytes, { flag: 'wx' });
        if (json) print(io.stdout, JSON.stringify({ ok: true, folder, files: Object.keys(files) }));
        else print(io.stdout, `wrote ${Object.keys(files).join(', ')} to ${folder}`);
        return true;
      }),
    );
}
