/**
 * Site settings of customers, as one document for each domain and kind. A document is replaced as a
 * whole, and its revisions are counted. The content is validated on write
 * (admin-api/sites/documents) and compiled where it is used. Its type: core/site/document-kind.ts.
 */
import { type Id, idAt, idKey } from '../keys.ts';
import type { Audit } from './requests.ts';
import { json, table, unjson } from './table.ts';

/**
 * The byte of each kind in keys, and whether its content has sealed secrets: fields whose names
 * start with "sealed", in base64. These are encrypted again when the secret key is rotated, also in
 * the earlier versions that some kinds keep.
 */
const KINDS = {
  origins: { byte: 1, hasSecrets: true, keepsVersions: false },
  rules: { byte: 2, hasSecrets: true, keepsVersions: true },
  protection: { byte: 3, hasSecrets: false, keepsVersions: true },
  error_pages: { byte: 4, hasSecrets: false, keepsVersions: true },
  logs: { byte: 5, hasSecrets: true, keepsVersions: false },
} as const;

export type SiteDocumentKind = keyof typeof KINDS;

/** The kinds whose earlier versions are kept. */
export type VersionedKind = {
  [K in SiteDocumentKind]: (typeof KINDS)[K]['keepsVersions'] extends true ? K : never;
}[SiteDocumentKind];

/** False for a kind that only a later version knows. */
export const hasSecrets = (kind: SiteDocumentKind): boolean => KINDS[kind]?.hasSecrets ?? false;

export const keepsVersions = (kind: SiteDocumentKind): kind is VersionedKind => KINDS[kind]?.keepsVersions ?? false;

const BY_BYTE: ReadonlyMap<number, SiteDocumentKind> = new Map(
  Object.entries(KINDS).map(([kind, { byte }]) => [byte, kind as SiteDocumentKind]),
);

export interface SiteDocument<Content = unknown> {
  readonly domainId: Id;
  readonly kind: SiteDocumentKind;
  /** 1 for the first content, then increasing by 1. */
  readonly revision: number;
  /** Seconds since 1970. */
  readonly updatedAt: number;
  /** The author, with the names at that time. Omitted: unknown. */
  readonly actor?: Omit<NonNullable<Audit['actor']>, 'tokenId'>;
  /** JSON; secrets in it are sealed for `siteDocumentContext`. */
  readonly content: Content;
}

export function siteDocumentKey(domainId: Id, kind: SiteDocumentKind): Buffer {
  return Buffer.concat([idKey(domainId), Uint8Array.of(KINDS[kind].byte)]);
}

/** The context for sealing secrets in a document. */
export const siteDocumentContext = (domainId: Id, kind: SiteDocumentKind): string =>
  `site-document:${kind}:${domainId}`;

const DOCUMENT_LEVEL = 2;
/** Nodes without it skip such rules, and would let every visitor pass. */
const AUTHENTICATION_LEVEL = 5;

export const siteDocuments = table<SiteDocument>({
  number: 50,
  name: 'site_documents',
  quota: 'zone',
  concerns: 'edge',
  level: DOCUMENT_LEVEL,
  levelOf: levelOfDocument,
  key: ({ domainId, kind }) => siteDocumentKey(domainId, kind),
  encode: encodeDocument,
  decode: decodeDocument,
  lookupsFromKey: true,
});

/** Earlier revisions of a document, by revision number. */
export const siteDocumentVersions = table<SiteDocument>({
  number: 52,
  name: 'site_document_versions',
  quota: 'zone',
  level: DOCUMENT_LEVEL,
  key: ({ domainId, kind, revision }) => Buffer.concat([siteDocumentKey(domainId, kind), idKey(revision)]),
  encode: encodeDocument,
  decode: decodeDocument,
  lookupsFromKey: true,
});

function encodeDocument({ revision, updatedAt, actor, content }: SiteDocument): Buffer {
  return json({ revision, updatedAt, actor, content });
}

function decodeDocument(key: Uint8Array, value: Uint8Array): SiteDocument {
  return {
    domainId: idAt(key),
    kind: BY_BYTE.get(key[8])!,
    ...unjson<Pick<SiteDocument, 'revision' | 'updatedAt' | 'actor' | 'content'>>(value),
  };
}

function levelOfDocument(key: Uint8Array, value: Uint8Array): number {
  const { kind, content } = decodeDocument(key, value);
  if (kind !== 'rules') return DOCUMENT_LEVEL;
  const { rules = [] } = content as { readonly rules?: readonly { readonly action?: { readonly type?: string } }[] };
  return rules.some(({ action }) => action?.type === 'authenticate') ? AUTHENTICATION_LEVEL : DOCUMENT_LEVEL;
}
