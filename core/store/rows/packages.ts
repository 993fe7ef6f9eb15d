/** Developer packages: apps of accounts, their uploads, audit reports, and signing keys. */
import { appKey, type Id, idAt, idKey, LOOKUP, lookupKey, reversed, sequenceKey, timeKey } from '../keys.ts';
import { jsonTable, table, unjson } from './table.ts';

/** In lifecycle order. Lookups store the index of a state. */
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

/** Whether the bytes of a package are no longer needed. */
export const isOver = (state: UploadState): boolean =>
  state === 'rejected' || state === 'superseded' || state === 'withdrawn';

/** States that at most one package of an app has at a time. */
export const CURRENT_STATES = ['in_review', 'approved', 'published'] as const satisfies readonly UploadState[];

export type CurrentState = (typeof CURRENT_STATES)[number];

/** An app is created by its first upload and belongs to the account of that upload. */
export interface App {
  /** Reverse domain name, spelled as in the manifest of the first package. */
  readonly id: string;
  readonly accountId: Id;
  /** From the manifest of the newest package; null: it has no name. */
  readonly name: string | null;
  /** The highest versionCode that was ever approved; 0: none. */
  readonly approvedCode: number;
  /** Id of the upload in each of these states; null: none. */
  readonly current: Readonly<Record<CurrentState, Id | null>>;
  /** Why the app is suspended, so that nothing may be published or uploaded; null: it is not. */
  readonly suspended: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Counts of audit findings: see admin-api/miniapp/audit/findings.ts. */
export interface AuditSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly notices: number;
  readonly review: number;
  readonly omitted: number;
}

/** An entry of a package's history. */
export interface UploadStep {
  readonly state: UploadState;
  readonly at: number;
  /** Username at that time; null: the service. */
  readonly by: string | null;
  /** Shown to the developer; null: none. */
  readonly reason: string | null;
  /** Codes of the findings behind the reason. */
  readonly codes: readonly string[];
}

/** Types of the icons of apps. */
export const ICON_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** The store listing of a package, from its manifest. */
export interface Listing {
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly minHostVersion: string;
  readonly permissions: readonly string[];
  readonly backgroundPermissions: readonly string[];
  /** The image is in the blob store; null: there is none, or it is too large. */
  readonly icon: { readonly sha256: string; readonly type: (typeof ICON_TYPES)[number] } | null;
}

export interface Upload {
  readonly id: Id;
  readonly accountId: Id;
  readonly appId: string;
  readonly version: string;
  readonly versionCode: number;
  /** SHA-256 of the package, whose bytes are in the blob store. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Null: the manifest is incomplete, so the package is not published. */
  readonly listing: Listing | null;
  /** Notes from the developer to the reviewer. */
  readonly notes: string | null;
  readonly state: UploadState;
  readonly history: readonly UploadStep[];
  /**
   * The node that audits the upload, with its lease until `until`, which it renews; null: none.
   * `begun`: audits that started and did not finish.
   */
  readonly claim: { readonly node: string; readonly until: number; readonly begun: number } | null;
  /** Null: there is no verdict yet. The findings are in the table `reports`. */
  readonly summary: AuditSummary | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The findings of an audit. */
export interface Report {
  readonly uploadId: Id;
  /** JSON of the findings, compressed (zlib). */
  readonly findings: Buffer;
}

export const apps = jsonTable<App>({
  number: 18,
  name: 'apps',
  quota: 'account',
  concerns: 'apps',
  key: (row) => appKey(row.id),
  lookups: (key, value) => [lookupKey(LOOKUP.accountApp, idKey(unjson<App>(value).accountId), key)],
});

export const uploads = jsonTable<Upload>({
  number: 19,
  name: 'uploads',
  quota: 'account',
  key: (row) => idKey(row.id),
  lookups(_key, value) {
    const row = unjson<Upload>(value);
    const { appId, versionCode, state } = row;
    const time = timeKey(row);
    return [
      lookupKey(LOOKUP.appUpload, appKey(appId), SEPARATOR, reversed(time)),
      appVersionKey(appId, versionCode),
      lookupKey(LOOKUP.uploadState, stateKey(state), time),
    ];
  },
});

export const reports = table<Report>({
  number: 20,
  name: 'reports',
  quota: { none: 'one of limited size for each upload' },
  key: (row) => idKey(row.uploadId),
  encode: (row) => row.findings,
  decode: (key, value) => ({ uploadId: idAt(key), findings: Buffer.from(value) }),
});

/** Separates an app's id, which contains no zero byte, from the rest of a key. */
const SEPARATOR = Uint8Array.of(0);

/** Lookup of an upload by its app and versionCode. */
export function appVersionKey(appId: string, versionCode: number): Buffer {
  return lookupKey(LOOKUP.appVersion, appKey(appId), SEPARATOR, sequenceKey(versionCode));
}

/** Prefix of the uploads of an app, newest first. */
export function appUploadsKey(appId: string): Buffer {
  return lookupKey(LOOKUP.appUpload, appKey(appId), SEPARATOR);
}

const stateKey = (state: UploadState): Uint8Array => Uint8Array.of(UPLOAD_STATES.indexOf(state));

/** Prefix of the uploads in a state, oldest first. */
export function uploadStateKey(state: UploadState): Buffer {
  return lookupKey(LOOKUP.uploadState, stateKey(state));
}

export interface StoreKeyRow {
  /** 1, 2, …: the highest number is the current key. */
  readonly number: Id;
  /** Ed25519, the 32 bytes in base64. */
  readonly publicKey: string;
  /** PKCS#8, sealed (core/base/secrets.ts, `store-key:NUMBER`), base64; null: it was destroyed. */
  readonly sealedKey: string | null;
  /** A signature by an earlier key; null: none, so phones must get this key in another way. */
  readonly endorsement: { readonly by: Id; readonly signature: string } | null;
  readonly createdAt: number;
  /** When the key stops signing; null while it is the current key. */
  readonly signsUntil: number | null;
  /** `signature`: made with the key, base64; null: the private key was not available. */
  readonly revoked: { readonly at: number; readonly reason: string; readonly signature: string | null } | null;
}

/** Keys that sign published packages, so that phones can verify them. */
export const storeKeys = jsonTable<StoreKeyRow>({
  number: 37,
  name: 'store_keys',
  quota: { none: 'written by administrators' },
  key: (row) => idKey(row.number),
  lookups: (key) => [lookupKey(LOOKUP.storeKey, key)],
  lookupsFromKey: true,
});

/** The context for sealing the private key. */
export const storeKeyContext = (number: Id): string => `store-key:${number}`;
