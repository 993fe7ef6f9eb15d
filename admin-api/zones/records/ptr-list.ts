/** Lists the addresses of a domain with the PTR records that the account has for them. */
import { Type } from '@sinclair/typebox';
import { list, oneOf, orNull, text } from '../../../core/base/schema.ts';
import { Steps } from '../../../core/base/steps.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatHost, formatName, formatRelative, nameAt, nameId } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { reverseName } from '../../../core/dns/wire/reverse.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { recordKeyParts, recordsOfZone } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Domain, records } from '../../../core/store/rows.ts';
import { isAddress, keepsPtr, placesOf } from '../../../core/upkeep/domains/ptrs.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { invalidCursor, MAX_WHOLE, nextCursor, pageFields, pageOf, pageQuery } from '../../http/lists.ts';
import type { Query } from '../../http/query.ts';
import type { Context } from '../../http/route.ts';

/**
 * `ok`: a PTR record names the record. `missing`: a zone of the account would have it. `other`:
 * there are PTR records of other names only. `no_zone`: it is in no zone of the account.
 */
const STATES = ['ok', 'missing', 'other', 'no_zone'] as const;
type State = (typeof STATES)[number];

/** Maximum records that are read for one page. */
const MAX_SCANNED = 20_000;
const BATCH = 100;

export const ptrsQuery = {
  ...pageQuery,
  state: Type.Optional(
    oneOf([...STATES, 'problem'], 'only addresses in this state; "problem": in any state but "ok" and "no_zone"'),
  ),
};

export const ptrsResponse = Type.Object({
  ptrs: list(
    Type.Object(
      {
        name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
        type: oneOf(['A', 'AAAA'], 'the type of the record'),
        content: text('the address', { examples: ['192.0.2.9'] }),
        ptr: Type.Boolean({ description: 'whether the record keeps its PTR record' }),
        state: oneOf(
          STATES,
          '"ok": a PTR record names this name; "missing": none, although the account has the reverse zone; "other": the PTR records name other names; "no_zone": the account has no reverse zone for the address',
        ),
        reverse_name: text('the name of the PTR record', { examples: ['9.2.0.192.in-addr.arpa'] }),
        reverse_domain: orNull(Type.String(), 'the domain that has the PTR record, or would have it; null: none'),
        targets: list(text('a name'), 'the names in the PTR records of the address'),
      },
      { title: 'Ptr' },
    ),
    'sorted by name, in canonical order; wildcards are omitted',
  ),
  ...pageFields,
});

/** A page may have fewer items than its limit. Throws HttpError 400 and 404. */
export async function listPtrs({ reader }: Services, context: Context<Caller, unknown, Query<typeof ptrsQuery>>) {
  const { caller, params, query } = context;
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  const scope = recordsOfZone(domain.id);
  const { limit, after: cursor } = pageOf(query) ?? { limit: MAX_WHOLE, after: null };
  const { state } = query;
  if (cursor !== null && !scope.equals(cursor.subarray(0, scope.length))) throw invalidCursor();
  const steps = new Steps();
  const ptrs: ReturnType<typeof viewPtr>[] = [];
  let after = cursor;
  /** The last record of the page; null: the page has no end yet. */
  let last: Buffer | null = null;
  let count = 0;
  let isEnd = false;
  for (let scanned = 0; scanned < MAX_SCANNED && !isEnd; scanned += BATCH) {
    const isHidden = reader.hiddenIn(domain.id);
    const entries = reader.recordEntries(scope, after, BATCH, { withHidden: isHidden !== null });
    isEnd = entries.length < BATCH;
    for (const entry of entries) {
      const before = after;
      after = entry.key;
      if (isHidden?.(entry.key) === true || !isListed(entry)) continue;
      count++;
      if (last !== null) continue;
      const ptr = viewPtr(reader, domain, entry);
      if (!isWanted(ptr.state, state)) continue;
      if (ptrs.length === limit) last = before;
      else ptrs.push(ptr);
    }
    // Only the first page counts the others.
    if (last !== null && (cursor !== null || state !== undefined)) break;
    await steps.next();
  }
  const isCounted = cursor === null && isEnd && (state === undefined || last === null);
  return {
    ptrs,
    next_cursor: nextCursor(last ?? (isEnd ? null : after), context),
    total: isCounted ? (state === undefined ? count : ptrs.length) : null,
  };
}

const WILDCARD = 0x2a;

function isListed({ key }: Entry): boolean {
  const { nameEnd, type } = recordKeyParts(key);
  // A wildcard is the last label of a key.
  return isAddress(type) && !(key[nameEnd - 2] === WILDCARD && key[nameEnd - 3] === 0);
}

const isWanted = (state: State, wanted: State | 'problem' | undefined): boolean =>
  wanted === undefined || (wanted === 'problem' ? state === 'missing' || state === 'other' : state === wanted);

function viewPtr(reader: Reader, domain: Domain, { key, value }: Entry) {
  const row = records.decode(key, value);
  const places = [...placesOf(reader, domain.accountId, row.rdata)];
  const found = places.flatMap((place) => {
    const rows = reader.recordsOfType(place.domain.id, place.owner, TYPE.PTR);
    return rows.map(({ rdata }) => ({ place, target: nameAt(rdata, 0) }));
  });
  const own = found.find(({ target }) => equalNames(target, row.name));
  const at = (own ?? found[0])?.place ?? places[0];
  const targets = new Map(found.map(({ target }) => [nameId(target), formatName(target)]));
  const state: State =
    own !== undefined ? 'ok' : found.length > 0 ? 'other' : places.length > 0 ? 'missing' : 'no_zone';
  return {
    name: formatRelative(row.name, domain.apex),
    type: typeName(row.type) as 'A' | 'AAAA',
    content: formatRdata(row.type, row.rdata),
    ptr: keepsPtr(reader, row),
    state,
    reverse_name: formatHost(at?.owner ?? reverseName(row.rdata)),
    reverse_domain: at === undefined ? null : formatHost(at.domain.apex),
    targets: [...targets.values()],
  };
}
