/**
 * Endpoints of the store, without a token: the published apps, their icons and packages, and the
 * keys that sign them. Caches revalidate every response (no-cache), so that a withdrawn package
 * disappears at once.
 */
import { createHash } from 'node:crypto';
import { clientNetwork } from '../../../../core/net/address/ipv6.ts';
import { parseId, type Services } from '../../../change/services.ts';
import { HttpError } from '../../../http/errors.ts';
import { replyWithList } from '../../../http/list-reply.ts';
import {
  DEFAULT_LIMIT,
  invalidCursor,
  MAX_WHOLE,
  pageOf,
  pageQuery,
  searchQuery,
  sortQuery,
} from '../../../http/lists.ts';
import type { RateLimit } from '../../../http/rate-limit.ts';
import { type Context, publicRoute, type Reply, route } from '../../../http/route.ts';
import { isAppId } from '../owned.ts';
import type { PackageBlobs } from '../package-blobs.ts';
import { STORE, STORE_KEYS, STORE_KEYS_ADMIN } from '../paths.ts';
import { type Catalog, type Position, SORTS } from './catalog.ts';
import { storeKeysResponse, viewKeys } from './key-view.ts';
import type { StoreKeys } from './keys.ts';
import { revokeBody, rotateBody, storeAppResponse, storeAppsResponse } from './schema.ts';
import { requirePublished, SHORT_DESCRIPTION, viewStoreApp } from './view.ts';

const ADMIN = { tag: 'packages', scope: 'packages', admin: true, method: 'POST' } as const;
/** Days for which both keys sign, by default. */
const OVERLAP_DAYS = 90;

/** Headers of an icon: it was uploaded by anybody, and is served to browsers. */
const ICON_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

export interface StoreParts {
  readonly services: Services;
  readonly blobs: PackageBlobs;
  readonly keys: StoreKeys;
  readonly catalog: Catalog;
  /** One bucket for each client network. */
  readonly requests: RateLimit;
}

export function storeRoutes({ services, blobs, keys, catalog, requests }: StoreParts) {
  const { reader } = services;
  const described = { method: 'GET', tag: 'packages' } as const;
  const found = { 304: [], 404: ['no_such_app'], 429: ['too_many_requests'] } as const;
  const begin = ({ remoteAddress, headers }: Context<null>, cost = 1): void => {
    for (let i = 0; i < cost; i++) requests.take(clientNetwork(remoteAddress), headers);
  };
  return [
    publicRoute({
      ...described,
      operationId: 'listStoreApps',
      path: STORE,
      summary: 'List the published apps',
      description: 'What the store offers: name, version, permissions, and where icon and package are.',
      query: { ...pageQuery, ...searchQuery('name, id or category'), ...sortQuery(SORTS) },
      response: storeAppsResponse,
      faults: {
        304: [],
        429: ['too_many_requests'],
        503: ['store_unavailable'],
      },
      async run(context) {
        const { sort, q: matches } = context.query;
        const { key, descending } = sort;
        const entries = pageOf(context.query)?.limit ?? Math.min(await catalog.count(), MAX_WHOLE);
        begin(context, Math.max(1, Math.ceil(entries / DEFAULT_LIMIT)));
        const { rows } = keys;
        const response = await replyWithList(services.streams, context, 'apps', {
          async read({ limit, after }) {
            const position = after === null ? null : readPosition(after);
            const part = await catalog.find({ key, descending, matches, limit, after: position });
            const apps = part.found.map(async (each) =>
              viewStoreApp(each, await keys.sign(each.upload, rows), SHORT_DESCRIPTION),
            );
            return {
              rows: await Promise.all(apps),
              last: part.last === null ? null : Buffer.from(`${part.last.value}\0${part.last.appId}`),
              total: part.total,
            };
          },
          view: (app) => app,
        });
        return tagged(context, response);
      },
    }),
    publicRoute({
      ...described,
      operationId: 'getStoreApp',
      path: `${STORE}/{app_id}`,
      summary: 'Get a published app',
      description: 'What hosts need to install it: version, permissions, SHA-256 and signatures of the package.',
      response: storeAppResponse,
      faults: { ...found, 503: ['store_unavailable'] },
      async run(context) {
        begin(context);
        const published = requirePublished(reader, context.params.app_id);
        return tagged(context, { app: viewStoreApp(published, await keys.sign(published.upload)) });
      },
    }),
    publicRoute({
      ...described,
      operationId: 'downloadStoreIcon',
      path: `${STORE}/{app_id}/icon`,
      summary: 'Download the icon of a published app',
      description: 'The ETag is the SHA-256 of the icon, so it can be cached and revalidated.',
      responseType: 'image/png, image/jpeg or image/webp',
      faults: { ...found, 404: ['no_such_app', 'no_icon'], 503: ['package_unavailable'] },
      async run(context) {
        begin(context);
        const { icon } = requirePublished(reader, context.params.app_id).listing;
        if (icon === null) throw new HttpError(404, 'no_icon', 'The app has no icon.');
        const { size } = await blobs.verified(icon.sha256);
        const { headers } = context;
        headers['Content-Type'] = icon.type;
        headers['Content-Security-Policy'] = ICON_POLICY;
        headers.ETag = `"${icon.sha256}"`;
        headers['Cache-Control'] = 'no-cache';
        return { raw: blobs.content(icon.sha256), length: size };
      },
    }),
    publicRoute({
      ...described,
      operationId: 'downloadStorePackage',
      path: `${STORE}/{app_id}/package`,
      summary: 'Download the package of a published app',
      description:
        'The ETag is the SHA-256 of the package. X-Waypost-Signature has a signature of each key that signs, as KEY_ID=SIGNATURE. A single Range is supported, with If-Range.',
      responseType: 'application/octet-stream',
      faults: {
        ...found,
        206: [],
        416: ['range_not_satisfiable'],
        503: ['package_unavailable', 'store_unavailable'],
      },
      async run(context) {
        begin(context);
        const { upload } = requirePublished(reader, context.params.app_id);
        const { appId, version, sha256 } = upload;
        const signatures = await keys.sign(upload);
        const { size } = await blobs.verified(sha256);
        const { headers, header } = context;
        const etag = `"${sha256}"`;
        // With If-None-Match, the whole package or none: its conditions come before a range.
        const ifRange = header('if-range');
        const hasRange = header('if-none-match') === undefined && (ifRange === undefined || ifRange === etag);
        const range = hasRange ? readRange(header('range'), size) : null;
        headers['Content-Type'] = 'application/octet-stream';
        headers['Content-Disposition'] = `attachment; filename="${appId}-${version}.pkg"`;
        headers['Accept-Ranges'] = 'bytes';
        headers['Cache-Control'] = 'no-cache';
        headers.ETag = etag;
        headers['Repr-Digest'] = `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
        headers['X-Waypost-SHA256'] = sha256;
        headers['X-Waypost-Signature'] = signatures.map((each) => `${each.key_id}=${each.signature}`).join(', ');
        if (range === null) return { raw: blobs.content(sha256), length: size };
        const { from, to } = range;
        headers['Content-Range'] = `bytes ${from}-${to - 1}/${size}`;
        return { raw: blobs.content(sha256, from, to), length: to - from, status: 206 };
      },
    }),
    publicRoute({
      ...described,
      operationId: 'listStoreKeys',
      path: STORE_KEYS,
      summary: 'List the keys that sign packages',
      description: 'A client that knows an earlier key follows the endorsements to the current one.',
      example: { command: 'waypost pkg keys list' },
      response: storeKeysResponse,
      faults: { 304: [], 429: ['too_many_requests'] },
      run(context) {
        begin(context);
        return tagged(context, { keys: viewKeys(keys.rows) });
      },
    }),
  ];
}

/**
 * Sets the ETag of a response that must be revalidated. A long list, which is streamed, has none.
 */
function tagged<T extends Reply>({ headers }: Context<null>, response: T): T {
  const text = 'raw' in response ? response.raw : JSON.stringify(response);
  if (typeof text !== 'string') return response;
  headers.ETag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 20)}"`;
  headers['Cache-Control'] = 'no-cache';
  return response;
}

/** Throws HttpError 400. */
function readPosition(cursor: Buffer): Position {
  const end = cursor.lastIndexOf(0);
  const appId = cursor.toString('latin1', end + 1);
  if (end < 0 || !isAppId(appId)) throw invalidCursor();
  return { value: cursor.toString('utf8', 0, end), appId };
}

interface Range {
  readonly from: number;
  /** The byte after the last one. */
  readonly to: number;
}

/**
 * Ranges of bytes in requests (RFC 9110 14).
 *
 * The only range of the header Range; null: the whole file, also if the header has several ranges
 * or is invalid. Throws HttpError 416 if the range begins after the end.
 */
export function readRange(header: string | undefined, size: number): Range | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return null;
  if (first === '') return requireInside({ from: Math.max(0, size - Number(last)), to: size }, size);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < Number(first)) return null;
  return requireInside({ from: Number(first), to }, size);
}

function requireInside(range: Range, size: number): Range {
  if (range.from < range.to) return range;
  throw new HttpError(416, 'range_not_satisfiable', `The package has ${size} bytes; the range begins after its end.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

/** Endpoints for administrators: rotation and revocation of store keys. */
export function storeKeyRoutes(keys: StoreKeys) {
  return [
    route({
      ...ADMIN,
      operationId: 'rotateStoreKey',
      path: STORE_KEYS_ADMIN,
      summary: 'Create a new store key',
      description:
        'The previous key endorses the new one, and also signs until the overlap ends. Packages need no new upload.',
      example: { body: { overlap_days: 90 }, command: 'waypost pkg keys rotate --overlap-days 90 --yes' },
      body: rotateBody,
      bodyOptional: true,
      response: storeKeysResponse,
      faults: { 409: ['too_many_store_keys'], 503: ['store_unavailable'] },
      run: (context) => keys.rotate(context, context.body.overlap_days ?? OVERLAP_DAYS),
    }),
    route({
      ...ADMIN,
      operationId: 'revokeStoreKey',
      path: `${STORE_KEYS_ADMIN}/{store_key_id}/revoke`,
      summary: 'Revoke a store key, for example because it leaked',
      description:
        'The key signs nothing any more, its endorsements are no longer shown, and its private key is deleted. If it is the current key, a new one without an endorsement replaces it: clients must get that key with an update of the host.',
      example: {
        body: { reason: 'A backup was stolen.' },
        command: 'waypost pkg keys revoke 17 --reason "A backup was stolen." --yes',
      },
      body: revokeBody,
      response: storeKeysResponse,
      faults: { 404: ['no_such_store_key'], 409: ['store_key_revoked', 'too_many_store_keys'] },
      run: (context) => keys.revoke(context, parseId(context.params.store_key_id), context.body.reason),
    }),
  ];
}
