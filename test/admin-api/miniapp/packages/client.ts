/** Helpers for the tests of packages. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallOptions } from '../../call-options.ts';
import { type Client, each, succeeded, type World } from '../../contract/world.ts';
import { type Answer, type Json, listOf } from '../../daemon.ts';
import { type Order, packageForm, packageText, UPLOAD } from './package.ts';

export const APPS = '/api/dev/apps';
export const ADMIN = '/api/dev/admin';
export const MAX_BYTES = 300_000;

export const SETTINGS = {
  WAYPOST_PACKAGES_MAX_BYTES: String(MAX_BYTES),
  WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '0',
  WAYPOST_PACKAGES_AUDIT_TIMEOUT: '1500',
  WAYPOST_PACKAGES_AUDIT_MEMORY: '64MB',
  WAYPOST_PACKAGES_AUDIT_THREADS: '2',
  WAYPOST_PACKAGES_MAX_APPS: '200',
};

let made = 0;
/** The id of an app that no other test uses. */
export const newId = (): string => `com.example.app${++made}`;

export const send = (client: Client, options: CallOptions): Promise<Answer> => client.send('POST', UPLOAD, options);

export const upload = (client: Client, id: string, code: number, order: Order = 'approve'): Promise<Answer> =>
  send(client, packageForm(packageText(id, code, order)));

/** Uploads a package that is accepted, and returns it. */
export const uploaded = async (client: Client, id: string, code: number, order?: Order): Promise<Json> =>
  succeeded(await upload(client, id, code, order)).body.upload;

export const statuses = (of: Json): string[] => each(listOf(of.history), 'status');

/** `of`: the upload or its path. */
export async function settled(client: Client, of: Json | string): Promise<Json> {
  const url = typeof of === 'string' ? of : String(of.url);
  for (let i = 0; i < 2400; i++) {
    const { upload: found } = succeeded(await client.get(url)).body;
    if (!['pending', 'scanning'].includes(String(found.status))) return found;
    await sleep(25);
  }
  throw new Error('there was no verdict');
}

export const blobs = ({ daemon }: World): string[] => readdirSync(join(daemon.folder, 'blobs'));
