/** Writes purges of a domain's cached responses; the edge of every node executes them. */

import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { afterPrefix, type Id, idKey } from '../../../core/store/keys.ts';
import { type Purge, purges } from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { readPrefix, readTag, readUrl } from './purge-target.ts';
import type { purgeBody } from './schema.ts';

/** Maximum stored purges of a domain, not counting purges of the whole cache. */
const MAX_PURGES = 1_000;

/** Throws HttpError 404 and 429, and InvalidError. */
export async function purgeCache(services: Services, context: Context<Caller>, body: BodyOf<typeof purgeBody>) {
  return change(services, context, (draft) => {
    const domain = ownedDomain(draft, context.caller, parseId(context.params.domain_id));
    const name = formatHost(domain.apex);
    const purge: Purge = {
      id: draft.newId(purges),
      domainId: domain.id,
      urls: readAll(body.urls, '/urls', (text, pointer) => readUrl(text, name, pointer)),
      prefixes: readAll(body.prefixes, '/prefixes', (text, pointer) => readPrefix(text, name, pointer)),
      tags: readAll(body.tags, '/tags', readTag),
      ...(body.prefetch === true ? { prefetch: true as const } : {}),
      createdAt: nowSeconds(),
    };
    const { urls, prefixes, tags, prefetch = false } = purge;
    const everything = urls.length + prefixes.length + tags.length === 0;
    if (everything) dropOlder(services, draft, domain.id);
    else requireRoom(services, domain.id);
    draft.put(purges, purge);
    return {
      action: 'cache.purge',
      domain,
      target: purge.id,
      detail: {
        ...(everything ? { everything } : { urls: urls.length, prefixes: prefixes.length, tags: tags.length }),
        ...(prefetch ? { prefetch } : {}),
      },
      createResponse: () => ({
        purge: {
          id: purge.id,
          domain_id: domain.id,
          everything,
          urls,
          prefixes,
          tags,
          prefetch,
          requested_at: formatTime(purge.createdAt),
        },
      }),
    };
  });
}

/** Without duplicates. */
function readAll(
  texts: readonly string[] = [],
  pointer: string,
  read: (text: string, pointer: string) => string,
): readonly string[] {
  return [...new Set(texts.map((text, i) => read(text, `${pointer}/${i}`)))];
}

/** A purge of the whole cache replaces all earlier purges. */
function dropOlder(services: Services, draft: Draft, domainId: Id): void {
  for (const purge of keysOf(services, domainId)) {
    const row = draft.row(purges, purge);
    if (row !== undefined) draft.delete(purges, row);
  }
}

/**
 * Counts committed purges, not the draft: concurrent purges then do not conflict, and may exceed
 * the limit slightly.
 */
function requireRoom(services: Services, domainId: Id): void {
  if (keysOf(services, domainId).length < MAX_PURGES) return;
  throw new HttpError(
    429,
    'too_many_purges',
    `The limit of ${MAX_PURGES} purges of this domain in a day is reached. Purge everything (omit the lists), or wait.`,
    { headers: { 'Retry-After': '3600' } },
  );
}

function keysOf({ environment }: Services, domainId: Id): Buffer[] {
  const start = idKey(domainId);
  const keys =
    environment.rows.get(purges.number)?.getKeys({ start, end: afterPrefix(start), limit: MAX_PURGES }) ?? [];
  return [...keys].map((key) => key as Buffer);
}
