/** The origins of names and paths: the check of their document, its keys, and their health. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { flag, integer, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import type { Ejections } from '../../../core/site/health/ejections.ts';
import { checkOrigins, type Fault } from '../../../core/site/pools/check.ts';
import { checkedOrigins, healthKey } from '../../../core/site/pools/checks.ts';
import {
  type CompleteEntry,
  completeEntry,
  type DocumentCertificate,
  ORIGINS,
  type OriginsEntry,
  type PoolOrigin,
} from '../../../core/site/pools/document.ts';
import type { Domain, OriginHealth } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { type Context, route } from '../../http/route.ts';
import { formatTime } from '../../http/time.ts';
import type { OriginRules } from '../proxy/origin-rules.ts';
import type { DocumentCheck } from './document-routes.ts';

export const ORIGIN_FAULTS = [
  ...['cookie_required', 'duplicate_entry', 'duplicate_label', 'duplicate_origin', 'header_required'],
  ...['invalid_certificate', 'invalid_host', 'invalid_name'],
  ...['invalid_origin', 'invalid_path', 'invalid_pin', 'invalid_private_key', 'invalid_proxy_protocol'],
  ...['invalid_server_name', 'invalid_timeout', 'invalid_version'],
  ...['key_mismatch', 'key_required', 'no_weight', 'origin_loop', 'private_origin'],
  ...['protocol_required', 'tls_required', 'too_many_checks'],
];

interface Content {
  readonly origins: readonly CompleteEntry[];
}

/** Throws HttpError 422 with all faults. */
export function readOrigins(
  entries: readonly OriginsEntry[],
  { before, seal }: DocumentCheck<Content>,
  { allowPrivate: exemptions, own }: OriginRules,
): Content {
  const faults = checkOrigins({ origins: entries }, { exemptions, own });
  if (faults.length > 0) refuse(faults);
  const origins = entries.map((entry, i) => {
    const complete = completeEntry(entry);
    if (complete.client_certificate === null) return complete;
    const pointer = `/origins/${i}/client_certificate/private_key`;
    return { ...complete, client_certificate: sealKey(complete.client_certificate, before, seal, pointer) };
  });
  return { origins };
}

function sealKey(
  { certificate, private_key }: DocumentCertificate,
  before: Content,
  seal: DocumentCheck<Content>['seal'],
  pointer: string,
): DocumentCertificate {
  if (private_key === undefined) {
    const stored = before.origins.find((entry) => entry.client_certificate?.certificate === certificate);
    if (stored?.client_certificate?.sealed_key !== undefined)
      return { certificate, sealed_key: stored.client_certificate.sealed_key };
    return refuse([
      { pointer, code: 'key_required', message: 'The private key of this certificate is not stored; send it too.' },
    ]);
  }
  let isMatch: boolean;
  try {
    isMatch = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(private_key));
  } catch {
    return refuse([{ pointer, code: 'invalid_private_key', message: 'It is not a private key in PEM form.' }]);
  }
  if (!isMatch) refuse([{ pointer, code: 'key_mismatch', message: 'It is not the key of the certificate.' }]);
  return { certificate, sealed_key: seal(private_key) };
}

function refuse(faults: readonly Fault[]): never {
  const [{ code, message, pointer }] = faults;
  throw new HttpError(422, code, message, { pointer, details: faults });
}

/** Without the keys of client certificates. Entries of earlier versions lack the newest fields. */
export const viewOrigins = ({ origins }: Content) => ({
  origins: origins.map(completeEntry).map(({ client_certificate, ...entry }) => ({
    ...entry,
    client_certificate: client_certificate && { certificate: client_certificate.certificate },
  })),
});

const STATES = ['up', 'down', 'partly', 'unknown', 'unchecked'] as const;

const originState = Type.Object(
  {
    origin: text('as in the document', { examples: ['api.example.net'] }),
    port: integer(1, 65_535, 'its port'),
    protocol: oneOf(['http', 'https']),
    weight: Type.Integer({ minimum: 0, description: 'its weight' }),
    state: oneOf(
      STATES,
      '"partly": down in some regions; "unknown": not checked yet, which counts as up; "unchecked": the entry has no health check, and the latest request of the node that answers got a response; if it failed, the state is "down"',
    ),
    since: orNull(time('when the state began, in the region where it changed last'), 'null: unknown'),
    reason: orNull(Type.String(), 'why it is down; null: it is not'),
    ejected_until: orNull(
      time('when the node that answers uses it again, after it ejected it because requests failed'),
      'null: it is not ejected',
    ),
    regions: list(
      Type.Object(
        {
          region: text('the name of the region; empty: the nodes have none', { examples: ['eu-central-1'] }),
          is_up: flag('whether it is up there'),
          since: time('since when'),
          reason: orNull(Type.String(), 'why it is down; null: it is up'),
        },
        { title: 'OriginInRegion' },
      ),
      'the results of the regions that have checked it',
    ),
  },
  { title: 'OriginState' },
);

const healthResponse = Type.Object({
  entries: list(
    Type.Object(
      {
        name: orNull(Type.String(), 'as in the document'),
        path: orNull(Type.String(), 'as in the document'),
        label: orNull(Type.String(), 'as in the document'),
        is_checked: flag('whether it has a health check'),
        is_down: flag('whether all of its origins are down'),
        origins: list(originState, 'in the order of the pool'),
      },
      { title: 'OriginsEntryHealth' },
    ),
    'in the order of the document',
  ),
  revision: Type.Integer({ minimum: 0, description: 'of the document' }),
});

export function originHealthRoute(services: Services, ejections: Pick<Ejections, 'endOf' | 'faultOf'>) {
  return route({
    operationId: 'getOriginsHealth',
    method: 'GET',
    path: '/api/v1/domains/{domain_id}/proxy/origins/health',
    tag: 'proxy',
    summary: 'Get the health of the origins of names and paths',
    description: 'One node of each region checks the origins. A changed state is on all nodes within a second.',
    example: { command: 'waypost origins status example.com' },
    scope: 'proxy',
    response: healthResponse,
    faults: { 404: ['no_such_domain'] },
    run({ caller, params }: Context<Caller>) {
      const domain = ownedDomain(services.reader, caller, parseId(params.domain_id));
      const row = ORIGINS.row(services.reader, domain.id);
      const regions = services.reader.originHealthOf(domain.id);
      const entries = (row?.content.origins ?? []).map((entry) => {
        const origins = entry.pool.map((origin) => stateOf(domain, entry, origin, regions, ejections));
        return {
          name: entry.name,
          path: entry.path,
          label: entry.label,
          is_checked: entry.health !== null,
          is_down: origins.every(({ state }) => state === 'down'),
          origins,
        };
      });
      return { entries, revision: row?.revision ?? 0 };
    },
  });
}

function checkedState(regions: number, down: number): (typeof STATES)[number] {
  if (regions === 0) return 'unknown';
  if (down === 0) return 'up';
  return down === regions ? 'down' : 'partly';
}

function stateOf(
  { id }: Domain,
  entry: CompleteEntry,
  origin: Required<PoolOrigin>,
  rows: readonly OriginHealth[],
  ejections: Pick<Ejections, 'endOf' | 'faultOf'>,
) {
  const key = healthKey(entry, origin);
  const found = rows.flatMap(({ region, origins }) => {
    const state = origins.find((candidate) => candidate.key === key);
    return state === undefined || entry.health === null ? [] : [{ region, ...state }];
  });
  const down = found.filter(({ isUp }) => !isUp);
  const latest = found.toSorted((a, b) => b.since - a.since).at(0);
  const fault = entry.health === null ? ejections.faultOf(id, key) : null;
  const unchecked = fault === null ? 'unchecked' : 'down';
  const state = entry.health === null ? unchecked : checkedState(found.length, down.length);
  const begin = latest?.since ?? fault?.since;
  const ejectedUntil = ejections.endOf(id, key);
  return {
    ...origin,
    state,
    since: begin === undefined ? null : formatTime(begin),
    reason: down.at(0)?.reason ?? fault?.reason ?? null,
    ejected_until: ejectedUntil === null ? null : formatTime(Math.ceil(ejectedUntil / 1000)),
    regions: found.map(({ region, isUp, since, reason }) => ({
      region,
      is_up: isUp,
      since: formatTime(since),
      reason,
    })),
  };
}

/** A sentence about the first origin that is down in a region. Null: none is. */
export function downOriginOf(reader: StoreReader, { id }: Domain): string | null {
  const down = new Map(
    reader
      .originHealthOf(id)
      .flatMap(({ origins }) => origins.flatMap((state) => (state.isUp ? [] : [[state.key, state] as const]))),
  );
  if (down.size === 0) return null;
  // States of removed origins may remain.
  for (const { key, origin } of checkedOrigins(ORIGINS.content(reader, id))) {
    const state = down.get(key);
    if (state !== undefined) return `The origin ${origin.origin} is down: ${state.reason ?? 'its check fails.'}`;
  }
  return null;
}
