/** Which objects a journal entry changes, and who may see that. */
import { type Change, type Entry, readFirstChanges } from '../../core/journal/entry-codec.ts';
import { type Id, idAt } from '../../core/store/keys.ts';
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
  originHealth,
  proxies,
  purges,
  records,
  sessions,
  siteDocuments,
  type Table,
  tokens,
  tsigKeys,
  uploads,
  webhooks,
} from '../../core/store/rows.ts';
import type { Scope } from '../http/caller.ts';

/** A change without its values: the client reads what it shows. */
export interface ObjectChange {
  readonly kind: string;
  /** The id of the object; for a part of a domain, that of the domain. */
  readonly id: Id | string;
  /** The domain that it belongs to; null: it is not part of a domain. */
  readonly domainId: Id | null;
  /** The owner of the object. */
  readonly accountId: Id;
  /** A token needs its `:read` to see the change. */
  readonly scope: Scope;
}

/** Tables whose keys begin with the id of a domain. */
const OF_DOMAIN = new Map<number, readonly [kind: string, Scope]>([
  [domains.number, ['domain', 'dns']],
  [records.number, ['records', 'dns']],
  [dnssec.number, ['dnssec', 'dns']],
  [dnssecStates.number, ['dnssec', 'dns']],
  [delegations.number, ['delegation', 'dns']],
  [proxies.number, ['proxy', 'proxy']],
  [certificates.number, ['certificate', 'proxy']],
  [automaticCertificates.number, ['certificate', 'proxy']],
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

/** The other tables: kind, scope, and what a row says of itself. */
const OF_ACCOUNT = new Map<number, readonly [kind: string, Scope, Describe]>([
  [accounts.number, ['account', 'account', (key) => ({ id: idAt(key), accountId: idAt(key) })]],
  [tokens.number, ['token', 'account', describe(tokens)]],
  [sessions.number, ['session', 'account', describe(sessions)]],
  [tsigKeys.number, ['tsig_key', 'account', describe(tsigKeys)]],
  [webhooks.number, ['webhook', 'account', describe(webhooks)]],
  [apps.number, ['app', 'packages', describe(apps)]],
  [uploads.number, ['upload', 'packages', describe(uploads)]],
]);

/** Changed objects of one entry that are listed. */
const MAX_OBJECTS = 200;

/** Null: the entry changes too many objects to list them. */
export function objectChanges({ changes }: Entry, reader: Reader): readonly ObjectChange[] | null {
  const byObject = new Map<string, Omit<ObjectChange, 'accountId'> & { accountId: Id | null }>();
  const deletedDomains = new Set<Id>();
  // The owner, for objects that no longer exist.
  let audited: Id | null = null;
  for (const change of readFirstChanges(changes, records.number)) {
    if (change.table === audits.number && change.value !== null) audited = idAt(change.key);
    const object = describeChange(change, reader);
    if (object === null) continue;
    // A row that is replaced is a delete and a put.
    if (change.table === domains.number) deletedDomains[change.value === null ? 'add' : 'delete'](idAt(change.key));
    byObject.set(`${object.kind} ${object.id}`, object);
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

/** Null: nobody is notified of the row. `accountId` is null if the row does not tell it. */
function describeChange(
  { table, key, value }: Change,
  reader: Reader,
): (Omit<ObjectChange, 'accountId'> & { accountId: Id | null }) | null {
  // Expired purges are deleted without an effect on anything that is shown.
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
