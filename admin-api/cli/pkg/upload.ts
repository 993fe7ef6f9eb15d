/** `waypost pkg upload|list|show|publish|withdraw`: commands for developers. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { FormData } from 'undici';
import type { ApiResponse } from '../../routes/routes.ts';
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

const UPLOAD = '/api/dev/uploads/{upload_id}';

type Brief = ApiResponse<'getApp'>['uploads'][number];

const APPS: Columns<ApiResponse<'listApps'>['apps'][number]> = {
  APP: 'app_id',
  NAME: 'name',
  LATEST: ({ latest }) => versionOf(latest),
  STATUS: 'audit_status',
  FOUND: ({ summary }) => foundOf(summary),
  PUBLISHED: ({ published }) => (published === null ? '' : versionOf(published)),
  SUSPENDED: 'suspended',
};

const UPLOADS: Columns<Brief> = {
  ID: 'id',
  VERSION: 'version',
  CODE: 'version_code',
  STATUS: 'status',
  FOUND: ({ summary }) => foundOf(summary),
  UPLOADED: 'created_at',
};

const versionOf = ({ version, version_code }: Pick<Brief, 'version' | 'version_code'>): string =>
  `${shown(version)} (${version_code})`;

const foundOf = (summary: Brief['summary']): string =>
  summary === null ? '' : `${count(summary.errors, 'error')}, ${count(summary.warnings, 'warning')}`;

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
      await publish(call, id);
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
          pages(call.api, '/api/dev/apps/{app_id}', 'uploads', { path: { app_id: app } }),
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
      await showUpload(call, UPLOAD, id);
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
      const result = await call.api.DELETE(UPLOAD, { params: { path: { upload_id: id } } });
      call.show(result, `Withdrawn: ${formatUpload(result.upload)}`);
      return true;
    },
  });
}

/** App and version of an upload, for messages. */
export const formatUpload = (upload: Pick<Brief, 'app_id' | 'version' | 'version_code'>): string =>
  `${shown(upload.app_id)} ${versionOf(upload)}`;

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
  const { upload } = await call.api.POST('/api/dev/apps/upload', { body });
  const status = await waitForVerdict(call, upload.id);
  await showUpload(call, UPLOAD, upload.id);
  if (status === 'rejected') return false;
  if (mayPublish && status === 'approved') await publish(call, upload.id);
  else if (status === 'approved') call.note(`Publish it with "waypost pkg publish ${upload.id}".`);
  else if (mayPublish && status !== 'published') call.note('The package is not published, because it is not approved.');
  return true;
}

/** Polls until the audit is done, and resolves with the status. */
async function waitForVerdict({ api, io }: Call, id: number): Promise<Brief['status']> {
  for (;;) {
    const { upload } = await api.GET(UPLOAD, { params: { path: { upload_id: id } } });
    if (upload.status !== 'pending' && upload.status !== 'scanning') return upload.status;
    await (io.sleep ?? wait)(POLL);
  }
}

async function publish(call: Call, id: string | number): Promise<void> {
  const result = await call.api.POST(`${UPLOAD}/publish`, { params: { path: { upload_id: id } } });
  call.show(result, `Published: ${formatUpload(result.upload)}`);
}

/** Prints JSON, or the text of the daemon with terminal controls escaped. */
export async function showUpload(
  { api, io, options }: Call,
  path: typeof UPLOAD | '/api/dev/admin/uploads/{upload_id}',
  id: string | number,
): Promise<void> {
  const params = { path: { upload_id: id } };
  if (options.json) print(io.stdout, safeJson(await api.GET(path, { params })));
  else io.stdout.write(await api.GET(path, { params, headers: { accept: 'text/plain' }, parseAs: 'text' }));
}
