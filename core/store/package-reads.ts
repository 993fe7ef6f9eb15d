/** Reads of developer packages, through a draft or from the last committed state. */
import { setImmediate } from 'node:timers/promises';
import { appKey, type Id, idKey, LOOKUP, lookupKey, reversed, timeKey } from './keys.ts';
import type { Reader } from './reader.ts';
import {
  type App,
  apps,
  appUploadsKey,
  appVersionKey,
  isOver,
  reports,
  type StoreKeyRow,
  storeKeys,
  UPLOAD_STATES,
  type Upload,
  type UploadState,
  uploadStateKey,
  uploads,
} from './rows.ts';

/** By id, case-insensitive. */
export const appOf = (reader: Reader, id: string): App | undefined => reader.row(apps, appKey(id));

/** An account's apps by their ids, after the app `after`. */
export const appsOf = (reader: Reader, accountId: Id, after: string | null, limit?: number): App[] =>
  reader.rowsAt(apps, lookupKey(LOOKUP.accountApp, idKey(accountId)), after === null ? null : appKey(after), limit);

export const uploadOf = (reader: Reader, id: Id): Upload | undefined => reader.row(uploads, idKey(id));

/** The upload of an app with a versionCode. */
export const uploadOfVersion = (reader: Reader, appId: string, versionCode: number): Upload | undefined =>
  reader.rowAt(uploads, appVersionKey(appId, versionCode));

/** An app's uploads, newest first, older than the upload with the time key `before`. */
export const uploadsOf = (reader: Reader, appId: string, before: Buffer | null, limit?: number): Upload[] =>
  reader.rowsAt(uploads, appUploadsKey(appId), before && reversed(before), limit);

/** Uploads of all accounts in a state, oldest first, after the upload with the time key `after`. */
export const uploadsIn = (reader: Reader, state: UploadState, after: Buffer | null, limit?: number): Upload[] =>
  reader.rowsAt(uploads, uploadStateKey(state), after, limit);

/** The keys that sign packages, oldest first. */
export const storeKeysOf = (reader: Reader): StoreKeyRow[] =>
  reader.rowsAt(storeKeys, lookupKey(LOOKUP.storeKey), null);

/** Uploads read between two yields to the event loop. */
const PAGE_SIZE = 200;

/** Hashes of the blobs (packages and icons) that are still needed. */
export async function neededBlobs(reader: Reader): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const state of UPLOAD_STATES) {
    if (isOver(state)) continue;
    let after: Buffer | null = null;
    do {
      const page = uploadsIn(reader, state, after, PAGE_SIZE);
      for (const { sha256, listing } of page) {
        needed.add(sha256);
        if (listing?.icon) needed.add(listing.icon.sha256);
      }
      after = page.length < PAGE_SIZE ? null : timeKey(page[page.length - 1]);
      await setImmediate();
    } while (after !== null);
  }
  return needed;
}

/** The audit findings of an upload: JSON, compressed (zlib); undefined: there is no verdict yet. */
export const reportOf = (reader: Reader, uploadId: Id): Buffer | undefined =>
  reader.row(reports, idKey(uploadId))?.findings;
