/**
 * Whether a history is one that a single service could have had (strict serializability), given
 * that the sequence of a change, which each answer tells, puts changes in the one order that
 * counts: 1. each change that was acknowledged could be made behind the one before it; 2. it comes
 * behind all that was acknowledged before it was asked for; 3. each refusal and each list is right
 * for a moment at which that node may have been while it was asked: not before what it had said to
 * serve, not behind later requests.
 */
import type { Event, ListedRecord } from './operations.ts';
import { World } from './world.ts';

export interface Given {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** Of the change that made it. */
  readonly sequence: number;
}

export interface Checked {
  readonly world: World;
  /** Sequence of the last change. */
  readonly last: number;
  /** What is against the contract, in words. */
  readonly faults: readonly string[];
}

/**
 * `audited`: which request has made which change, as the audit says. `limits` as World's. `given`:
 * domains that were there before.
 */
export function checkHistory(
  history: readonly Event[],
  audited: ReadonlyMap<string, number>,
  limits: ReadonlyMap<string, number>,
  given: readonly Given[],
): Checked {
  const world = new World(limits);
  for (const { id, account, name, sequence } of given)
    world.apply({ account, operation: { kind: 'create domain', domain: name } }, sequence, [id]);
  const faults: string[] = [];
  const events = history.toSorted((a, b) => a.began - b.began);
  const changes = changesOf(events, audited, faults);
  let completed = 0;
  for (const { sequence, event, ids } of changes) {
    const codes = world.refusals(event, sequence - 1);
    if (codes.size > 0)
      faults.push(`${notice(event)} was carried out by change ${sequence}, where ${[...codes]} is due`);
    else world.apply(event, sequence, ids ?? []);
    completed = sequence;
  }
  const moments = new Moments(events, changes);
  for (const event of events) {
    const { from, to } = moments.of(event);
    const { outcome } = event;
    if (outcome.kind === 'done' && !outcome.isReplayed && outcome.sequence <= moments.acknowledgedBefore(event))
      faults.push(`${notice(event)} is behind what was acknowledged before`);
    if (outcome.kind === 'refused' && !some(from, to, (at) => world.refusals(event, at).has(outcome.code)))
      faults.push(`${notice(event)} is right at no moment from ${from} to ${to}`);
    if (outcome.kind === 'listed' && !some(from, to, (at) => isAsListed(world, event, at)))
      faults.push(`${notice(event)} is the state of no moment from ${from} to ${to}`);
  }
  return { world, last: completed, faults };
}

interface Change {
  readonly sequence: number;
  readonly event: Event;
  /** Of what is new; null: no answer said. */
  readonly ids: readonly string[] | null;
}

/** In their order; that of an answer which was given again is the first one's. */
function changesOf(events: readonly Event[], audited: ReadonlyMap<string, number>, faults: string[]): Change[] {
  const found = new Map<number, Change>();
  for (const event of events) {
    const { outcome, requestId } = event;
    const written = audited.get(requestId);
    if (outcome.kind === 'done' && !outcome.isReplayed && written !== outcome.sequence)
      faults.push(`${notice(event)} is change ${written} in the audit`);
    if ((outcome.kind === 'refused' || outcome.kind === 'unavailable') && written !== undefined)
      faults.push(`${notice(event)} is change ${written}`);
    const change =
      outcome.kind === 'done'
        ? { sequence: outcome.sequence, event, ids: outcome.ids }
        : { sequence: written, event, ids: null };
    if (change.sequence === undefined) continue;
    const other = found.get(change.sequence);
    if (other === undefined) found.set(change.sequence, change as Change);
    else if (event.key === undefined || event.key !== other.event.key || event.account !== other.event.account)
      faults.push(`${notice(event)} and ${notice(other.event)} are one change`);
    else if (other.ids === null) found.set(change.sequence, { ...other, ids: change.ids });
    else if (change.ids !== null && change.ids.join() !== other.ids.join())
      faults.push(`${notice(event)} was answered twice, not alike`);
  }
  return [...found.values()].sort((a, b) => a.sequence - b.sequence);
}

/** At which changes a node may have been while it was asked. */
class Moments {
  /** By node, and for all: what was known at which time, both rising. */
  readonly #known = new Map<string, { readonly time: number; readonly sequence: number }[]>();
  readonly #asked: { readonly time: number; readonly sequence: number }[] = [];

  constructor(events: readonly Event[], changes: readonly Change[]) {
    const ended = events.toSorted((a, b) => a.ended - b.ended);
    for (const { node, outcome, ended: time } of ended) {
      if (outcome.kind === 'done') {
        for (const name of outcome.applied) this.#note(name, time, outcome.sequence);
        this.#note('', time, outcome.sequence);
      }
      if (outcome.kind === 'listed') this.#note(node, time, outcome.revision);
    }
    let most = 0;
    for (const { event, sequence } of changes.toSorted((a, b) => a.event.began - b.event.began)) {
      most = Math.max(most, sequence);
      this.#asked.push({ time: event.began, sequence: most });
    }
  }

  of({ node, began, ended }: Event): { from: number; to: number } {
    return { from: before(this.#known.get(node) ?? [], began), to: before(this.#asked, ended) };
  }

  acknowledgedBefore({ began }: Event): number {
    return before(this.#known.get('') ?? [], began);
  }

  #note(name: string, time: number, sequence: number): void {
    const all = this.#known.get(name) ?? [];
    this.#known.set(name, all);
    all.push({ time, sequence: Math.max(sequence, all.at(-1)?.sequence ?? 0) });
  }
}

const before = (all: readonly { readonly time: number; readonly sequence: number }[], time: number): number =>
  all.findLast((item) => item.time < time)?.sequence ?? 0;

/**
 * Whether it holds at one of these changes at least; `to` may be before `from`, which then is the
 * only one.
 */
function some(from: number, to: number, holds: (sequence: number) => boolean): boolean {
  for (let at = from; at <= Math.max(from, to); at++) if (holds(at)) return true;
  return false;
}

function isAsListed(world: World, { account, operation, outcome }: Event, at: number): boolean {
  if (operation.kind !== 'list records' || outcome.kind !== 'listed') return false;
  const domain = world.domain(operation.domainId, at);
  return domain?.account === account && domain.revision === outcome.revision && isSame(domain.records, outcome.records);
}

export function isSame(records: ReadonlyMap<string, ListedRecord>, listed: readonly ListedRecord[]): boolean {
  const texts = (all: Iterable<ListedRecord>): string =>
    [...all]
      .map(({ id, name, type, content, ttl }) => [id, name, type, content, ttl].join(' '))
      .sort()
      .join('\n');
  return texts(records.values()) === texts(listed);
}

function notice({ node, account, operation, match, outcome }: Event): string {
  return `${account} at ${node}, ${JSON.stringify({ ...operation, match })}: ${JSON.stringify(outcome).slice(0, 300)};`;
}
