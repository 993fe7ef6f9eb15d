/** The objects that a journal entry changes, with the account and scope that may see the change. */
import { importOf } from '../../core/journal/apply/import-entries.ts';
import { type Change, type Entry, readFirstChanges } from '../../core/journal/entry-codec.ts';
import { type Id, idAt, idKey } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import {
  accounts,
  acmeOrders,
  apps,
  audits,
  automaticCertificates,
  certificates,
  delegations,
  dnssec,
  dnssecStates,
  domains,
  furtherCertificates,
  originHealth,
  proxies,
  purges,
  records,
  rsaCertificates,
  sessions,
  siteDocuments,
  steerings,
  type Table,
  tokens,
  tsigKeys,
  uploads,
  webhooks,
} from '../../core/store/rows.ts';
import type { Scope } from '../http/caller.ts';

/** A change without its values: the client fetches the object. */
export interface ObjectChange {
  readonly kind: string;
  /** The id of the object; for a part of a domain, the id of the domain. */
  readonly id: Id | string;
  /** The domain of the object; null: the object is not part of a domain. */
  readonly domainId: Id | null;
  /** The owner of the object. */
  readonly accountId: Id;
  /** A token needs read access of this scope to see the change. */
  readonly scope: Scope;
}

/** Tables whose keys begin with the id of a domain. */
const OF_DOMAIN = new Map<number, readonly [kind: string, Scope]>([
  [domains.number, ['domain', 'dns']],
  [records.number, ['records', 'dns']],
  [steerings.number, ['steering', 'dns']],
  [dnssec.number, ['dnssec', 'dns']],
  [dnssecStates.number, ['dnssec', 'dns']],
  [delegations.number, ['delegation', 'dns']],
  [proxies.number, ['proxy', 'proxy']],
  [certificates.number, ['certificate', 'proxy']],
  [automaticCertificates.number, ['certificate', 'proxy']],
  [furtherCertificates.number, ['certificate', 'proxy']],
  [rsaCertificates.number, ['certificate', 'proxy']],
  [acmeOrders.number, ['certificate', 'proxy']],
  [purges.number, ['purge', 'proxy']],
  [siteDocuments.number, ['proxy', 'proxy']],
  [originHealth.number, ['proxy', 'proxy']],
]);

interface Owned {
  readonly id: Id | string;
  readonly accountId: Id;
}

type Describe = (key: Buffer, value: Buffer) => Owned;

const describe =
  <Row extends Owned>(table: Table<Row>): Describe =>
  (key, value) =>
    table.decode(key, value);

/**
 * Tables of objects of an account: kind, scope, and a function that reads id and owner of a row.
 */
const OF_ACCOUNT = new Map<number, readonly [kind: string, Scope, Describe]>([
  [accounts.number, ['account', 'account', (key) => ({ id: idAt(key), accountId: idAt(key) })]],
  [tokens.number, ['token', 'account', describe(tokens)]],
  [sessions.number, ['session', 'account', describe(sessions)]],
  [tsigKeys.number, ['tsig_key', 'account', describe(tsigKeys)]],
  [webhooks.number, ['webhook', 'account', describe(webhooks)]],
  [apps.number, ['app', 'packages', describe(apps)]],
  [uploads.number, ['upload', 'packages', describe(uploads)]],
]);

/** Maximum changed objects of an entry that are listed. */
const MAX_OBJECTS = 200;

/** Null: the entry changes too many objects to list them. */
export function objectChanges({ changes }: Entry, reader: Reader): readonly ObjectChange[] | null {
  const byObject = new Map<string, Omit<ObjectChange, 'accountId'> & { accountId: Id | null }>();
  const deletedDomains = new Set<Id>();
  // The account of the audit entry: the owner of objects that no longer exist.
  let audited: Id | null = null;
  const addChange = (change: Change): void => {
    if (change.table === audits.number && change.value !== null) audited = idAt(change.key);
    const object = describeChange(change, reader);
    if (object === null) return;
    // An entry replaces a row with a delete and a put.
    if (change.table === domains.number) deletedDomains[change.value === null ? 'add' : 'delete'](idAt(change.key));
    byObject.set(`${object.kind} ${object.id}`, object);
  };
  const imported = importOf(changes);
  // The parts of a large import change nothing that can be read; its last entry shows the records.
  if (imported?.end === null) return [];
  if (imported !== null) addChange({ table: records.number, key: idKey(imported.domainId), value: null });
  for (const change of readFirstChanges(changes, records.number)) {
    addChange(change);
    if (byObject.size > MAX_OBJECTS) return null;
  }
  const listed: ObjectChange[] = [];
  for (const object of byObject.values()) {
    const isPart = object.kind !== 'domain' && PARTS.has(object.kind);
    if (isPart && typeof object.id === 'number' && deletedDomains.has(object.id)) continue;
    const accountId = object.accountId ?? audited;
    if (accountId !== null) listed.push({ ...object, accountId });
  }
  return listed;
}

const PARTS: ReadonlySet<string> = new Set([...OF_DOMAIN.values()].map(([kind]) => kind));

/** Null: a change of this row is not reported. `accountId` is null if the owner is unknown. */
function describeChange(
  { table, key, value }: Change,
  reader: Reader,
): (Omit<ObjectChange, 'accountId'> & { accountId: Id | null }) | null {
  // Deleting an expired purge changes nothing that clients show.
  if (table === purges.number && value === null) return null;
  const part = OF_DOMAIN.get(table);
  if (part !== undefined) {
    const id = idAt(key);
    return { kind: part[0], id, domainId: id, accountId: reader.domain(id)?.accountId ?? null, scope: part[1] };
  }
  const own = OF_ACCOUNT.get(table);
  if (own === undefined) return null;
  const [kind, scope, describeRow] = own;
  if (value !== null) {
    const { id, accountId } = describeRow(key, value);
    return { kind, id, domainId: null, accountId, scope };
  }
  if (table === accounts.number) return { kind, id: idAt(key), domainId: null, accountId: idAt(key), scope };
  return { kind, id: table === apps.number ? key.toString() : idAt(key), domainId: null, accountId: null, scope };
}
