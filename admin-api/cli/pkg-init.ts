/** `waypost pkg init`: an app to begin with, that passes the linter. */
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
    .description('write an app to begin with')
    .argument('[folder]', 'a new or empty one', '.')
    .option('--id <id>', 'of the app, the name of a domain of yours the other way round', 'com.example.app')
    .option('--name <name>', 'as people see it', 'New app')
    .option('--sdk <file>', 'host-sdk.js of an SDK that was issued; otherwise a stand-in to try the app in a browser')
    .addHelpText(
      'after',
      '\nThe stand-in is not the SDK: an app with it is not published. Exchange it before you upload.\n\nExamples:\n  $ waypost pkg init notes --id com.example.notes --name Notes --sdk sdk/host-sdk.js\n  $ waypost pkg lint notes --sdk sdk/host-sdk.js\n',
    )
    .action(
      action<{ id: string; name: string; sdk?: string }>(async ({ id, name, sdk, json }, [folder = '.']) => {
        const content = sdk === undefined ? undefined : await readFile(sdk);
        // A web server may be to read it.
        makeFolder(folder, 0o777);
        if ((await readdir(folder)).length > 0)
          throw new CliError('folder_not_empty', `${folder} is not empty`, { next: 'Name a new folder.' });
        const files = newApp({ id, name, sdk: content });
        for (const [path, bytes] of Object.entries(files)) await writeFile(join(folder, path), bytes, { flag: 'wx' });
        if (json) print(io.stdout, JSON.stringify({ ok: true, folder, files: Object.keys(files) }));
        else {
          print(io.stdout, `wrote ${Object.keys(files).join(', ')} to ${folder}`);
          if (sdk === undefined)
            print(
              io.stderr,
              'host-sdk.js is a stand-in: put that of an SDK that was issued in its place before you publish.',
            );
        }
        return true;
      }),
    );
}
