/** `waypost pkg init`: creates an app from a template. The audit approves it as it is. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { writeFile } from '../../../core/base/write-file.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import { didYouMean } from '../../miniapp/audit/did-you-mean.ts';
import { isAppId } from '../../miniapp/audit/manifest/values.ts';
import { newProject, TEMPLATES, type TemplateName } from '../../miniapp/templates/templates.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';

interface InitOptions {
  readonly template: string;
  readonly id?: string;
  readonly name?: string;
  readonly typescript?: boolean;
  readonly sdk?: string;
}

const NAMES = Object.keys(TEMPLATES);
const HELP = `
Templates:
${Object.entries(TEMPLATES)
  .map(([name, about]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}

The package is in FOLDER/app: only what is there is packed. Next to it are the types of Host, and
with --typescript the sources (src) and package.json, whose build writes app/app.js.

Examples:
  $ waypost pkg init notes --template notes
  $ waypost pkg init my-weather --template weather --id com.example.weather --name "My weather"
  $ waypost pkg init notes --template notes --typescript
`;

export function addPkgInit(parent: Command, { io, action }: CommandContext): void {
  parent
    .command('init')
    .description('create an app from a template')
    .argument('[folder]', 'a new or empty folder', '.')
    .addOption(new Option('--template <name>', `${NAMES.join(', ')}`).default('blank'))
    .option('--id <id>', 'a domain name of yours in reverse order (default: com.example.FOLDER)')
    .option('--name <name>', 'the name that users see (default: the name of the folder)')
    .option('--typescript', 'TypeScript sources, built by esbuild')
    .option('--sdk <file>', 'another host-sdk.js (default: the newest issued SDK)')
    .addHelpText('after', HELP)
    .action(
      action<InitOptions>(async (options, [folder = '.']) => {
        const template = readTemplate(options.template);
        const { typescript = false, sdk, json } = options;
        const slug = slugOf(basename(resolve(folder)));
        const id = options.id ?? `com.example.${slug}`;
        rejectBadId(id, slug);
        const files = newProject({
          id,
          name: options.name ?? titleOf(slug),
          template,
          typescript,
          sdk: sdk === undefined ? undefined : await readFile(sdk),
        });
        // Readable for all users, because a web server may serve it.
        makeFolder(folder, 0o777);
        if ((await readdir(folder)).length > 0)
          throw new CliError('folder_not_empty', `${folder} is not empty`, {
            next: 'Choose a new folder: waypost pkg init NAME',
          });
        for (const [path, bytes] of Object.entries(files)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), bytes, { flag: 'wx' });
        }
        if (json) print(io.stdout, JSON.stringify({ ok: true, folder, id, template, files: Object.keys(files) }));
        else for (const line of summaryOf(folder, id, template, typescript)) print(io.stdout, line);
        return true;
      }),
    );
}

function summaryOf(folder: string, id: string, template: TemplateName, typescript: boolean): string[] {
  const shown = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
  return [
    `Created ${id} in ${folder} from the template ${template}. The package is ${join(folder, 'app')}.`,
    '',
    'Next:',
    ...(typescript
      ? [`  cd ${shown} && npm install && npm run watch    builds as you edit src/app.ts; in another terminal:`]
      : []),
    `  waypost pkg dev ${shown}    runs the app in a simulated phone`,
    `  waypost pkg lint ${shown}   audits it as the service does`,
  ];
}

function readTemplate(name: string): TemplateName {
  if (Object.hasOwn(TEMPLATES, name)) return name as TemplateName;
  throw new CliError('no_such_template', `there is no template "${name}".${didYouMean(name, NAMES)}`, {
    next: `Choose ${NAMES.join(', ')}.`,
  });
}

function rejectBadId(id: string, slug: string): void {
  if (isAppId(id) && id === id.toLowerCase()) return;
  const labels = id.toLowerCase().split('.').map(slugOf);
  const better = labels.length > 1 ? labels.join('.') : `com.example.${labels[0] || slug}`;
  const suggestion = isAppId(better) ? better : `com.example.${slug}`;
  throw new CliError('bad_id', `"${id}" is not an id: an id is a domain name in reverse order, in lower case`, {
    next: `Use --id ${suggestion}, with a domain name of yours.`,
  });
}

/** A label of an id. */
function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '');
  return slug === '' ? 'app' : slug;
}

const titleOf = (slug: string): string => slug[0].toUpperCase() + slug.slice(1).replaceAll('-', ' ');
