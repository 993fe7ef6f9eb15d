/**
 * Reads and writes the steering of record sets. A write also makes the record rows of the set its
 * plain choice, in the same commit.
 */
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { parseType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative, type Name } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { parseExemptions } from '../../../core/net/address/index.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Domain,
  newRecord,
  records,
  STEERED_TYPES,
  type Steering,
  type SteeringContent,
  steerings,
  steeringVersions,
} from '../../../core/store/rows.ts';
import { checkId } from '../../../core/zone/steering/checked-answers.ts';
import { change } from '../../change/change.ts';
import { editableDomain, etag, ownedDomain, requireRevision } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { parseOwner } from '../records/owner.ts';
import { writeRecord } from '../records/service.ts';
import { checkedAnswers, countAnswers, plainChoice, readSteering, type SteeringBody } from './document.ts';
import { LIMITS } from './limits.ts';

/** Maximum number of stored earlier versions of a document. */
export const MAX_VERSIONS = 20;

/** A record set, as a path names it. */
interface SetKey {
  readonly domain: Domain;
  readonly name: Name;
  readonly type: number;
}

/** Throws InvalidError `invalid_type` for a type that cannot be steered. */
export function parseSteeredType(text: string): number {
  const type = parseType(text.trim());
  if (type !== undefined && STEERED_TYPES.has(type)) return type;
  const types = [...STEERED_TYPES].map(typeName).join(', ');
  throw new InvalidError('invalid_type', `"${text.slice(0, 40)}" cannot be steered; use one of ${types}.`, {
    pointer: '/type',
  });
}

function setOf(domain: Domain, { params }: Context<Caller>): SetKey {
  return { domain, name: parseOwner(params.name, domain.apex), type: parseSteeredType(params.type) };
}

export function listSteerings({ reader }: Services, { caller, params }: Context<Caller>) {
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  const view = ({ name, type, revision, updatedAt }: Steering) => ({
    name: formatRelative(name, domain.apex),
    type: typeName(type),
    revision,
    updated_at: formatTime(updatedAt),
  });
  return { steering: reader.steeringsOf(domain.id).map(view) };
}

export function readSteeringOf(services: Services, context: Context<Caller>) {
  const { reader } = services;
  const set = setOf(ownedDomain(reader, context.caller, parseId(context.params.domain_id)), context);
  const row = reader.steering(set.domain.id, set.name, set.type);
  if (row === undefined) throw noSuchSteering();
  context.headers.ETag = etag(row.revision);
  return viewWithHealth(services, set.domain, row);
}

/** `bodyOf` returns the document to write. `restored`: the revision of a restored document. */
export function writeSteering(
  services: Services,
  context: Context<Caller>,
  bodyOf: (reader: Reader, set: SetKey) => SteeringBody,
  restored?: number,
) {
  const domainId = parseId(context.params.domain_id);
  const allowPrivate = parseExemptions(services.config.edge.allowPrivateOrigins);
  const commit = () =>
    change(services, context, (draft) => {
      const set = setOf(editableDomain(draft, context.caller, domainId), context);
      const { domain, name, type } = set;
      const row = draft.steering(domain.id, name, type);
      requireRevision(context.header('if-match'), row?.revision ?? 0, 'steering');
      const content = readSteering(bodyOf(draft, set), { apex: domain.apex, name, type, allowPrivate });
      requireRoom(services, draft, set, content);
      const { account, token } = context.caller;
      const actor = { accountId: account.id, username: account.username, tokenName: token.name };
      const revision = (row?.revision ?? lastRevision(draft, set)) + 1;
      const written = { domainId: domain.id, name, type, revision, updatedAt: nowSeconds(), actor, content };
      if (row !== undefined) keepVersion(draft, row);
      writePlainChoice(draft, set, content);
      draft.put(steerings, written);
      const createResponse = () => {
        context.headers.ETag = etag(revision);
        return viewWithHealth(services, domain, written);
      };
      const detail = { name: formatRelative(name, domain.apex), type: typeName(type), revision, restored };
      return { action: 'steering.set', domain, target: domain.id, detail, createResponse };
    });
  return services.locks.exclusive(String(domainId), commit);
}

/** The records stay: they are the plain choice. */
export function deleteSteering(services: Services, context: Context<Caller>) {
  const domainId = parseId(context.params.domain_id);
  const commit = () =>
    change(services, context, (draft) => {
      const { domain, name, type } = setOf(editableDomain(draft, context.caller, domainId), context);
      const row = draft.steering(domain.id, name, type);
      if (row === undefined) throw noSuchSteering();
      requireRevision(context.header('if-match'), row.revision, 'steering');
      keepVersion(draft, row);
      draft.delete(steerings, row);
      forgetOldest(draft, domain.id);
      const detail = { name: formatRelative(name, domain.apex), type: typeName(type), revision: row.revision };
      return { action: 'steering.delete', domain, target: domain.id, detail, createResponse: () => ({}) };
    });
  return services.locks.exclusive(String(domainId), commit);
}

export function listSteeringVersions({ reader }: Services, context: Context<Caller>) {
  const set = setOf(ownedDomain(reader, context.caller, parseId(context.params.domain_id)), context);
  const current = reader.steering(set.domain.id, set.name, set.type);
  return {
    versions: versionsOf(reader, set).map(({ revision, updatedAt, actor }) => ({
      revision,
      is_current: revision === current?.revision,
      updated_at: formatTime(updatedAt),
      actor: { id: actor.accountId, username: actor.username, token_name: actor.tokenName },
    })),
  };
}

export function readSteeringVersion({ reader }: Services, context: Context<Caller>) {
  const set = setOf(ownedDomain(reader, context.caller, parseId(context.params.domain_id)), context);
  return viewSteering(set.domain, requireVersion(reader, set, parseId(context.params.revision)));
}

export function restoreSteering(services: Services, context: Context<Caller>) {
  const revision = parseId(context.params.revision);
  return writeSteering(services, context, (reader, set) => requireVersion(reader, set, revision).content, revision);
}

/** The current document and its earlier versions, newest first. */
function versionsOf(reader: Reader, { domain, name, type }: SetKey): Steering[] {
  const current = reader.steering(domain.id, name, type);
  const earlier = reader.steeringVersions(domain.id, name, type).reverse();
  return current === undefined ? earlier : [current, ...earlier];
}

function requireVersion(reader: Reader, set: SetKey, revision: number): Steering {
  const version = versionsOf(reader, set).find((own) => own.revision === revision);
  if (version !== undefined) return version;
  throw new HttpError(
    404,
    'no_such_version',
    `There is no version ${revision} of this steering; list the versions that are kept.`,
  );
}

/** Revisions go on after a deletion, so that a version has one number. */
const lastRevision = (reader: Reader, { domain, name, type }: SetKey): number =>
  reader.steeringVersions(domain.id, name, type).at(-1)?.revision ?? 0;

function keepVersion(draft: Draft, row: Steering): void {
  const earlier = draft.steeringVersions(row.domainId, row.name, row.type);
  for (const version of earlier.slice(0, Math.max(0, earlier.length - MAX_VERSIONS + 1)))
    draft.delete(steeringVersions, version);
  draft.put(steeringVersions, row);
}

/** Forgets the versions of the sets that were deleted first, if too many deleted sets have some. */
function forgetOldest(draft: Draft, domainId: Id): void {
  const current = new Set(draft.steeringsOf(domainId).map(keyOfSet));
  const deleted = new Map<string, Steering>();
  for (const version of draft.lastSteeringVersions(domainId))
    if (!current.has(keyOfSet(version))) deleted.set(keyOfSet(version), version);
  const oldestFirst = [...deleted.values()].sort((a, b) => a.updatedAt - b.updatedAt);
  for (const { name, type } of oldestFirst.slice(0, Math.max(0, deleted.size - LIMITS.deletedSets)))
    for (const version of draft.steeringVersions(domainId, name, type)) draft.delete(steeringVersions, version);
}

const keyOfSet = ({ name, type }: Pick<Steering, 'name' | 'type'>): string => `${type} ${latin1(name)}`;

/** Throws StateError `steering_limit`. */
function requireRoom(services: Services, draft: Draft, { domain, name, type }: SetKey, content: SteeringContent): void {
  const others = draft
    .steeringsOf(domain.id)
    .filter((other) => other.type !== type || Buffer.compare(other.name, name) !== 0);
  if (others.length >= LIMITS.sets)
    throw new StateError(
      'steering_limit',
      `The domain has ${others.length} steered record sets, which is the maximum; delete one first.`,
    );
  const all = [...others.map((other) => other.content), content];
  const checked = all.reduce((sum, own) => sum + checkedAnswers(own), 0);
  const usage = services.steeringHealth.usageOf(domain.accountId, domain.id);
  for (const [count, most, what] of [
    [checked, LIMITS.checked, 'domain would have @ checked answers'],
    [usage.checked + checked, LIMITS.account.checked, 'account would have @ checked answers in all its domains'],
    [
      usage.answers + all.reduce((sum, own) => sum + countAnswers(own), 0),
      LIMITS.account.answers,
      'account would have @ steered answers in all its domains',
    ],
  ] as const) {
    if (count <= most) continue;
    const next = most === LIMITS.account.answers ? 'Delete answers' : 'Remove the health check of a pool';
    throw new StateError('steering_limit', `The ${what.replace('@', `${count}`)}; the maximum is ${most}. ${next}.`);
  }
}

/** Makes the records of the set its plain choice. They do not go through the proxy. */
function writePlainChoice(draft: Draft, { domain, name, type }: SetKey, content: SteeringContent): void {
  const { ttl } = content;
  const now = nowSeconds();
  const wanted = new Map(plainChoice(content, type).map((rdata) => [latin1(rdata), rdata]));
  const before = draft.recordsOfType(domain.id, name, type);
  const replaced = before.filter(({ rdata }) => !wanted.has(latin1(rdata)));
  for (const row of replaced) draft.delete(records, row);
  for (const row of before) {
    if (!wanted.delete(latin1(row.rdata))) continue;
    if (row.ttl !== ttl || row.proxied !== false) draft.put(records, { ...row, ttl, proxied: false, updatedAt: now });
  }
  if (wanted.size === 0) return;
  let id = draft.newId(records, wanted.size);
  for (const rdata of wanted.values()) {
    const record = { ...newRecord(id++, domain.id, { name, type, ttl, rdata }, now), proxied: false };
    writeRecord(draft, domain, record, { adopts: false, isNew: true, replaced, ofSteering: true });
  }
}

function viewSteering({ apex }: Domain, { name, type, revision, updatedAt, content }: Steering) {
  const { ttl, pools, rules, fallback } = content;
  return {
    name: formatRelative(name, apex),
    type: typeName(type),
    ttl,
    pools,
    rules,
    fallback,
    revision,
    updated_at: formatTime(updatedAt),
  };
}

function viewWithHealth({ steeringHealth }: Services, domain: Domain, row: Steering) {
  const { name, type, content } = row;
  const health = content.pools.flatMap(({ name: pool, answers, health: check }) =>
    (check === null ? [] : answers).map(({ content: text }) => {
      const state = steeringHealth.stateOf(domain.id, checkId(domain.id, name, type, text, check!));
      const { isUp = null, since = 0, reason = null } = state ?? {};
      return { pool, content: text, is_up: isUp, since: since === 0 ? null : formatTime(since), reason };
    }),
  );
  return { ...viewSteering(domain, row), health };
}

const noSuchSteering = (): HttpError =>
  new HttpError(404, 'no_such_steering', 'This record set is not steered; list the steering of the domain.');
