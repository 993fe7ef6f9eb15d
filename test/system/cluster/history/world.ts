/**
 * Domains and records as the API contract has them, after each change of the log: what an operation
 * comes to at any of these moments. Knows nothing of the service's own code.
 */
import { type ListedRecord, type Operation, type RecordBody, textOf } from './operations.ts';

export interface Domain {
  readonly account: string;
  readonly name: string;
  readonly records: ReadonlyMap<string, ListedRecord>;
  readonly revision: number;
}

export interface Request {
  readonly account: string;
  readonly operation: Operation;
  readonly match?: number;
  readonly key?: string;
}

/** What a value was from which change on. */
class Timeline<T> {
  readonly #all: { readonly from: number; readonly value: T | null }[] = [];

  set(from: number, value: T | null): void {
    this.#all.push({ from, value });
  }

  at(sequence: number): T | null {
    return this.#all.findLast(({ from }) => from <= sequence)?.value ?? null;
  }
}

export class World {
  /** Domains that an account of the plan may have, by username; none: no limit. */
  readonly #limits: ReadonlyMap<string, number>;
  /** By id, and the id by name. */
  readonly #domains = new Map<string, Timeline<Domain>>();
  readonly #names = new Map<string, Timeline<string>>();
  /** By account and key: the operation that was carried out. */
  readonly #keys = new Map<string, Timeline<string>>();

  constructor(limits: ReadonlyMap<string, number>) {
    this.#limits = limits;
  }

  domain(id: string, sequence: number): Domain | null {
    return this.#domains.get(id)?.at(sequence) ?? null;
  }

  /** All domains of an account. */
  domainsOf(account: string, sequence: number): ReadonlyMap<string, Domain> {
    const found = new Map<string, Domain>();
    for (const id of this.#domains.keys()) {
      const domain = this.domain(id, sequence);
      if (domain?.account === account) found.set(id, domain);
    }
    return found;
  }

  /** Codes with which it is refused after that change; empty: it is carried out. */
  refusals(request: Request, sequence: number): ReadonlySet<string> {
    const { account, operation, match, key } = request;
    const before = key === undefined ? null : this.#keyed(account, key).at(sequence);
    if (before !== null) return new Set(before === textOf(operation) ? [] : ['idempotency_key_reused']);
    if (operation.kind === 'create domain') return this.#refusalsOfName(account, operation.domain, sequence);
    const domain = this.domain(operation.domainId, sequence);
    if (domain === null || domain.account !== account) return new Set(['no_such_domain']);
    const codes = new Set<string>();
    if (match !== undefined && match !== domain.revision) codes.add('changed');
    for (const code of refusalsIn(domain, operation)) codes.add(code);
    return codes;
  }

  /** It was carried out by that change; `ids` of what is new. Later changes come later. */
  apply({ account, operation, key }: Request, sequence: number, ids: readonly string[]): void {
    if (key !== undefined) this.#keyed(account, key).set(sequence, textOf(operation));
    if (operation.kind === 'create domain') {
      const { domain: name } = operation;
      this.#timeline(this.#names, name).set(sequence, ids[0]);
      this.#timeline(this.#domains, ids[0]).set(sequence, { account, name, records: new Map(), revision: sequence });
      return;
    }
    const { domainId } = operation;
    const domain = this.domain(domainId, sequence) as Domain;
    if (operation.kind === 'delete domain') {
      this.#timeline(this.#names, domain.name).set(sequence, null);
      this.#timeline(this.#domains, domainId).set(sequence, null);
      return;
    }
    const records = new Map(domain.records);
    change(records, operation, ids);
    this.#timeline(this.#domains, domainId).set(sequence, { ...domain, records, revision: sequence });
  }

  #refusalsOfName(account: string, name: string, sequence: number): ReadonlySet<string> {
    const codes = new Set<string>();
    for (const [other, timeline] of this.#names) {
      const id = timeline.at(sequence);
      if (id === null) continue;
      const isKin = other.endsWith(`.${name}`) || name.endsWith(`.${other}`);
      if (other === name || (isKin && this.domain(id, sequence)?.account !== account)) codes.add('zone_exists');
    }
    const limit = this.#limits.get(account);
    if (limit !== undefined && this.domainsOf(account, sequence).size >= limit) codes.add('plan_limit');
    return codes;
  }

  #keyed(account: string, key: string): Timeline<string> {
    return this.#timeline(this.#keys, `${account} ${key}`);
  }

  #timeline<T>(all: Map<string, Timeline<T>>, key: string): Timeline<T> {
    const found = all.get(key) ?? new Timeline<T>();
    all.set(key, found);
    return found;
  }
}

function refusalsIn({ records }: Domain, operation: Operation): Set<string> {
  const left = new Map(records);
  const codes = new Set<string>();
  const take = (id: string): void => {
    if (!left.delete(id)) codes.add('no_such_record');
  };
  if (operation.kind === 'delete record') take(operation.recordId);
  if (operation.kind === 'update record') take(operation.recordId);
  if (operation.kind === 'batch') operation.delete.forEach(take);
  const placed =
    operation.kind === 'batch'
      ? operation.post
      : operation.kind === 'create record' || operation.kind === 'update record'
        ? [operation.body]
        : [];
  placed.forEach((body, i) => {
    for (const code of conflicts(left, body)) codes.add(code);
    left.set(`new ${i}`, { id: `new ${i}`, ...body });
  });
  return codes;
}

function conflicts(records: ReadonlyMap<string, RecordBody>, body: RecordBody): string[] {
  const neighbours = [...records.values()].filter(({ name }) => name === body.name);
  const codes: string[] = [];
  if (neighbours.some(({ type, content }) => type === body.type && content === body.content))
    codes.push('record_exists');
  if (neighbours.length > 0 && [body, ...neighbours].some(({ type }) => type === 'CNAME')) codes.push('cname_conflict');
  return codes;
}

function change(records: Map<string, ListedRecord>, operation: Operation, ids: readonly string[]): void {
  const put = (id: string, body: RecordBody): void => {
    // All records of an RRset have one TTL.
    for (const [other, record] of records)
      if (record.name === body.name && record.type === body.type) records.set(other, { ...record, ttl: body.ttl });
    records.set(id, { ...body, id });
  };
  if (operation.kind === 'create record') put(ids[0], operation.body);
  else if (operation.kind === 'delete record') records.delete(operation.recordId);
  else if (operation.kind === 'update record') {
    records.delete(operation.recordId);
    put(operation.recordId, operation.body);
  } else if (operation.kind === 'batch') {
    for (const id of operation.delete) records.delete(id);
    operation.post.forEach((body, i) => {
      put(ids[i], body);
    });
  }
}
