/**
 * Developer packages: the apps of accounts, what was uploaded for them, and what the audits found.
 */
import { appKey, type Id, idAt, idKey, LOOKUP, lookupKey, reversed, sequenceKey, timeKey } from '../keys.ts';
import { jsonTable, table, unjson } from './table.ts';

/** In the order in which a package may come by them. */
export const UPLOAD_STATES = [
  'pending',
  'scanning',
  'rejected',
  'in_review',
  'approved',
  'published',
  'superseded',
  'suspended',
  'withdrawn',
] as const;

export type UploadState = (typeof UPLOAD_STATES)[number];

/** Whether the bytes of a package are of no more use. */
export const isOver = (state: UploadState): boolean =>
  state === 'rejected' || state === 'superseded' || state === 'withdrawn';

/** States of one package of an app at a time. */
export const CURRENT_STATES = ['in_review', 'approved', 'published'] as const satisfies readonly UploadState[];

export type CurrentState = (typeof CURRENT_STATES)[number];

/** An app is there from its first upload on, and its account's from then on. */
export interface App {
  /** Reverse-domain, as the manifest of its first package has it. */
  readonly id: string;
  readonly accountId: Id;
  /** As the newest package has it; null: it has none. */
  readonly name: string | null;
  /** The greatest versionCode that was ever approved; 0: none was. */
  readonly approvedCode: number;
  /**
   * Id of the upload that is in each of these states, of which there is one at a time; null: none
   * is.
   */
  readonly current: Readonly<Record<CurrentState, Id | null>>;
  /** Why nothing of it may be published or uploaded; null: it may. */
  readonly suspended: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an audit counts: see admin-api/miniapp/audit/findings.ts. */
export interface AuditSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly notices: number;
  readonly review: number;
  readonly omitted: number;
}

/** A step of a package's way. */
export interface UploadStep {
  readonly state: UploadState;
  readonly at: number;
  /** Username, as of that time; null: the service. */
  readonly by: string | null;
  /** For the developer to read; null: it says itself. */
  readonly reason: string | null;
  /** Codes of findings that the reason is about. */
  readonly codes: readonly string[];
}

/** Types of the icons of apps. */
export const ICON_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** What the store shows of a package, from its manifest. */
export interface Listing {
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly minHostVersion: string;
  readonly permissions: readonly string[];
  readonly backgroundPermissions: readonly string[];
  /** Its bytes are in the store of blobs; null: there is none, or it is too large. */
  readonly icon: { readonly sha256: string; readonly type: (typeof ICON_TYPES)[number] } | null;
}

export interface Upload {
  readonly id: Id;
  readonly accountId: Id;
  readonly appId: string;
  readonly version: string;
  readonly versionCode: number;
  /** Of the package; its bytes are in the store of blobs. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Null: the manifest lacks a part, so it is not published. */
  readonly listing: Listing | null;
  /** Of the developer, for the reviewer. */
  readonly notes: string | null;
  readonly state: UploadState;
  readonly history: readonly UploadStep[];
  /**
   * Who audits it, until it is done: a node, whose claim is good until `until`, which it moves on
   * as long as it lives. `begun`: how many audits have begun and not ended.
   */
  readonly claim: { readonly node: string; readonly until: number; readonly begun: number } | null;
  /** Null: there is no verdict yet. What was found is among the reports. */
  readonly summary: AuditSummary | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an audit found, whole. */
export interface Report {
  readonly uploadId: Id;
  /** JSON of the findings, compressed (zlib). */
  readonly findings: Buffer;
}

export const apps = jsonTable<App>({
  number: 18,
  name: 'apps',
  key: (row) => appKey(row.id),
  lookups: (key, value) => [lookupKey(LOOKUP.accountApp, idKey(unjson<App>(value).accountId), key)],
});

export const uploads = jsonTable<Upload>({
  number: 19,
  name: 'uploads',
  key: (row) => idKey(row.id),
  lookups(_key, value) {
    const row = unjson<Upload>(value);
    const { appId, versionCode, state } = row;
    const time = timeKey(row);
    return [
      lookupKey(LOOKUP.appUpload, appKey(appId), NOTHING, reversed(time)),
      appVersionKey(appId, versionCode),
      lookupKey(LOOKUP.uploadState, stateKey(state), time),
    ];
  },
});

export const reports = table<Report>({
  number: 20,
  name: 'reports',
  key: (row) => idKey(row.uploadId),
  encode: (row) => row.findings,
  decode: (key, value) => ({ uploadId: idAt(key), findings: Buffer.from(value) }),
});

/** Ends an app's id, which holds no such byte. */
const NOTHING = Uint8Array.of(0);

/** Where an upload is found by its app and versionCode. */
export function appVersionKey(appId: string, versionCode: number): Buffer {
  return lookupKey(LOOKUP.appVersion, appKey(appId), NOTHING, sequenceKey(versionCode));
}

/** Prefix of the uploads of an app, newest first. */
export function appUploadsKey(appId: string): Buffer {
  return lookupKey(LOOKUP.appUpload, appKey(appId), NOTHING);
}

const stateKey = (state: UploadState): Uint8Array => Uint8Array.of(UPLOAD_STATES.indexOf(state));

/** Prefix of the uploads in a state, oldest first. */
export function uploadStateKey(state: UploadState): Buffer {
  return lookupKey(LOOKUP.uploadState, stateKey(state));
}
