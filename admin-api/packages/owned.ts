/** What a caller may name. */
import { appOf, uploadOf } from '../../core/store/package-reads.ts';
import type { Reader } from '../../core/store/reader.ts';
import type { App, Upload } from '../../core/store/rows.ts';
import { isId } from '../change/services.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';

/** Throws HttpError 404, also for another account's. */
export function ownedUpload(reader: Reader, { account }: Caller, id: string): Upload {
  const upload = anyUpload(reader, id);
  if (upload.accountId === account.id) return upload;
  throw noSuchUpload();
}

/** Of whatever account, for an administrator. Throws HttpError 404. */
export function anyUpload(reader: Reader, id: string): Upload {
  const upload = isId(id) ? uploadOf(reader, id) : undefined;
  if (upload === undefined) throw noSuchUpload();
  return upload;
}

/** Throws HttpError 404, also for another account's. */
export function ownedApp(reader: Reader, { account }: Caller, id: string): App {
  const app = anyApp(reader, id);
  if (app.accountId === account.id) return app;
  throw noSuchApp();
}

/** As anyUpload. */
export function anyApp(reader: Reader, id: string): App {
  const app = isAppId(id) ? appOf(reader, id) : undefined;
  if (app === undefined) throw noSuchApp();
  return app;
}

/** What is longer is no key of the store; ids in manifests are ASCII. */
export const isAppId = (id: string): boolean => /^[\x21-\x7e]{1,255}$/.test(id);

const noSuchUpload = (): HttpError => new HttpError(404, 'no_such_upload', 'This account has no upload with this id.');
const noSuchApp = (): HttpError => new HttpError(404, 'no_such_app', 'This account has no app with this id.');
