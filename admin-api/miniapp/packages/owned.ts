/** Finds the apps and uploads that a caller may access. */
import type { Id } from '../../../core/store/keys.ts';
import { appOf, uploadOf } from '../../../core/store/package-reads.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { App, Upload } from '../../../core/store/rows.ts';
import { mayActFor } from '../../change/acting.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';

/** Throws HttpError 404, also for an upload of another account that the caller cannot act for. */
export function ownedUpload(reader: Reader, caller: Caller, id: Id): Upload {
  const upload = anyUpload(reader, id);
  if (mayActFor(reader, caller, upload.accountId)) return upload;
  throw noSuchUpload();
}

/** An upload of any account, for administrators. Throws HttpError 404. */
export function anyUpload(reader: Reader, id: Id): Upload {
  const upload = uploadOf(reader, id);
  if (upload === undefined) throw noSuchUpload();
  return upload;
}

/** Throws HttpError 404, also for an app of another account that the caller cannot act for. */
export function ownedApp(reader: Reader, caller: Caller, id: string): App {
  const app = anyApp(reader, id);
  if (mayActFor(reader, caller, app.accountId)) return app;
  throw noSuchApp();
}

/** An app of any account, for administrators. Throws HttpError 404. */
export function anyApp(reader: Reader, id: string): App {
  const app = isAppId(id) ? appOf(reader, id) : undefined;
  if (app === undefined) throw noSuchApp();
  return app;
}

/** Ids in manifests are ASCII, and longer ones would exceed the key size of the store. */
export const isAppId = (id: string): boolean => /^[\x21-\x7e]{1,255}$/.test(id);

const noSuchUpload = (): HttpError => new HttpError(404, 'no_such_upload', 'This account has no upload with this id.');
const noSuchApp = (): HttpError => new HttpError(404, 'no_such_app', 'This account has no app with this id.');
