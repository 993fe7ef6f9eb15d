/** `waypost pkg upload|list|show|publish|withdraw`: commands for developers. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { FormData } from 'undici';
import { type ApiClient, asObject, asText, type Json } from '../base/client.ts';
import type { CommandContext, Outcome } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print, safeJson } from '../base/io.ts';
import { pages } from '../base/pages.ts';
import { type Columns, count, shown } from '../base/table.ts';
import { addVerb, type Call, option, YES } from '../base/verb.ts';

interface UploadOptions {
  readonly notes?: string;
  readonly publish?: boolean;
}

/** Milliseconds between two polls while a package is audited. */
const POLL = 1000;

const APPS: Columns = {
  APP: 'app_id',
  NAME: 'name',
  LATEST: ({ latest }) => versionOf(asObject(latest)),
  STATUS: 'audit_status',
  FOUND: ({ summary }) => foundOf(asObject(summary)),
  PUBLISHED: ({ published }) => versionOf(asObject(published)),
  SUSPENDED: 'suspended',
};

const UPLOADS: Columns = {
  ID: 'id',
  VERSION: 'version',
  CODE: 'version_code',
  STATUS: 'status',
  FOUND: ({ summary }) => foundOf(asObject(summary)),
  UPLOADED: 'created_at',
};

const versionOf = (upload: Json | undefined): string =>
  upload === undefined ? '' : `${shown(upload.version)} (${shown(upload.version_code)})`;

const foundOf = (summary: Json | undefined): string =>
  summary === undefined ? '' : `${count(summary.errors, 'error')}, ${count(summary.warnings, 'warning')}`;

export function addPkgUploadCommands(parent: Command, context: CommandContext): void {
  addVerb(parent, context, {
    usage: 'upload <file>',
    about: 'upload a package and show the findings of its audit',
    more: 'The exit code is 1 if the package is rejected.',
    options: [
      option('--notes <text>', 'release notes of this version'),
      option('--publish', 'publish the package if it is approved'),
    ],
    examples: ['waypost pkg upload notes.pkg', 'waypost pkg upload notes.pkg --notes "Adds scans." --publish'],
    run: (call: Call<UploadOptions>, [file]) => uploadPackage(call, file),
  });
  addVerb(parent, context, {
    usage: 'publish <upload>',
    about: 'publish an approved package',
    examples: ['waypost pkg publish 57'],
    async run(call, [id]) {
      await publish(call, pathOf(id));
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'list [app]',
    about: 'list your apps, or the packages of an app',
    examples: ['waypost pkg list', 'waypost pkg list com.example.notes --json'],
    async run(call, [app]) {
      if (app === undefined) await call.list(pages(call.api, '/api/dev/apps', 'apps'), APPS, 'No apps found.');
      else
        await call.list(
          pages(call.api, `/api/dev/apps/${encodeURIComponent(app)}`, 'uploads'),
          UPLOADS,
          'The app has no packages.',
        );
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'show <upload>',
    about: 'show a package and all findings',
    examples: ['waypost pkg show 57'],
    async run(call, [id]) {
      await showUpload(call, pathOf(id));
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'withdraw <upload>',
    about: 'withdraw a package, published or not',
    options: [YES],
    examples: ['waypost pkg withdraw 57'],
    async run(call, [id]) {
      await call.confirm(`Withdraw the package ${id}? Its versionCode cannot be used again.`);
      const result = await call.api.json({ method: 'DELETE', path: pathOf(id) });
      call.show(result, `Withdrawn: ${formatUpload(asObject(result.upload))}`);
      return true;
    },
  });
}

const pathOf = (id: string): string => `/api/dev/uploads/${encodeURIComponent(id)}`;

/** App and version of an upload, for messages. */
export const formatUpload = (upload: Json | undefined): string => `${shown(upload?.app_id)} ${versionOf(upload)}`;

async function uploadPackage(call: Call<UploadOptions>, file: string): Promise<Outcome> {
  const { notes, publish: mayPublish } = call.options;
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const isFolder = error.code === 'EISDIR';
    throw new CliError('unreadable', `${file} ${isFolder ? 'is a folder' : `cannot be read: ${error.message}`}.`, {
      ...(isFolder && { next: `Pack the folder with "waypost pkg pack ${file}", and upload the file that it prints.` }),
    });
  });
  const undici = (await import('undici')).default;
  const body = (): FormData => {
    const form = new undici.FormData();
    form.set('package', new Blob([content]), basename(file));
    if (notes !== undefined) form.set('notes', notes);
    return form;
  };
  const { upload: first } = await call.api.json({ method: 'POST', path: '/api/dev/apps/upload', body });
  const path = pathOf(String(asObject(first)?.id));
  const status = await waitForVerdict(call, path);
  await showUpload(call, path);
  if (status === 'rejected') return false;
  if (mayPublish && status === 'approved') await publish(call, path);
  else if (status === 'approved') call.note(`Publish it with "waypost pkg publish ${String(asObject(first)?.id)}".`);
  else if (mayPublish && status !== 'published') call.note('The package is not published, because it is not approved.');
  return true;
}

/** Polls until the audit is done, and resolves with the status. */
async function waitForVerdict({ api, io }: Call, path: string): Promise<string> {
  for (;;) {
    const { upload: found } = await api.json({ method: 'GET', path });
    const status = asText(asObject(found)?.status) ?? '';
    if (status !== 'pending' && status !== 'scanning') return status;
    await (io.sleep ?? wait)(POLL);
  }
}

async function publish(call: Call, path: string): Promise<void> {
  const result = await call.api.json({ method: 'POST', path: `${path}/publish` });
  call.show(result, `Published: ${formatUpload(asObject(result.upload))}`);
}

/** Prints JSON, or the text of the daemon with terminal controls escaped. */
export async function showUpload({ api, io, options }: Call, path: string): Promise<void> {
  if (options.json) print(io.stdout, safeJson(await api.json({ method: 'GET', path })));
  else io.stdout.write(await textOf(api, path));
}

async function textOf(api: ApiClient, path: string): Promise<string> {
  const { body } = await api.send({ method: 'GET', path, headers: { accept: 'text/plain' } });
  return body.text();
}
