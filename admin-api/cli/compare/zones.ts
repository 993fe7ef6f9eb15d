/** Compares zones on two nameservers, question by question. */
import { randomBytes } from 'node:crypto';
import { InvalidError, WaypostError } from '../../../core/base/errors.ts';
import { Semaphore } from '../../../core/base/semaphore.ts';
import { equalNames, LOWER, type Name, nameId, parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import {
  compareReplies,
  type Difference,
  parseReply,
  type Question,
  questionsOf,
  type Reason,
  type Reply,
} from '../../zones/migration/index.ts';
import type { DnsServer } from './server.ts';

export interface ComparedRecord {
  readonly name: Name;
  readonly type: number;
}

export interface ComparedZone {
  readonly name: string;
  /** Reads the records of the source; undefined: it has none. Throws WaypostError. */
  read(): Promise<readonly ComparedRecord[] | undefined>;
  /** Relative names of the zone that a proxy may answer. */
  isProxied?(name: Name): boolean;
}

export interface AnswerDifference {
  readonly zone: string;
  readonly question: Question;
  /** Undefined: no response. */
  readonly before?: Reply;
  readonly after?: Reply;
  readonly difference: Difference;
}

export interface ZoneComparison {
  readonly zone: string;
  readonly questions: number;
  readonly differences: readonly AnswerDifference[];
  /** Number of differences for each reason. */
  readonly expected: ReadonlyMap<Reason, number>;
  /** Why the zone, or a part of its names, could not be compared. */
  readonly error?: string;
  /** Sources of the names. */
  readonly names: readonly string[];
}

interface ComparePlan {
  readonly before: DnsServer;
  readonly after: DnsServer;
  readonly ttl: boolean;
  /** Whether expected differences count. */
  readonly strict: boolean;
  /** Maximum number of questions in flight. */
  readonly concurrency: number;
  /** Names of all zones: a zone is asked for nothing that is in another one. */
  readonly zones: readonly string[];
}

/** The replies of both servers; undefined: none. */
type Replies = readonly [before: Reply | undefined, after: Reply | undefined];

export class ZoneComparer {
  readonly #slots: Semaphore;
  /** The label of names that do not exist. */
  readonly #label = `waypost-compare-${randomBytes(6).toString('hex')}`;

  readonly #apexes: ReadonlySet<string>;
  /** By name of the zone. */
  readonly #soas = new Map<string, Promise<Replies>>();

  constructor(private readonly plan: ComparePlan) {
    this.#slots = new Semaphore(plan.concurrency);
    this.#apexes = new Set(plan.zones.map((zone) => nameId(lowerCase(parseName(zone)))));
  }

  /** The replies to the SOA of a zone, which are asked for once. */
  soa(zone: string): Promise<Replies> {
    let replies = this.#soas.get(zone);
    if (replies === undefined) {
      replies = this.#askBoth({ name: lowerCase(parseName(zone)), type: TYPE.SOA });
      this.#soas.set(zone, replies);
    }
    return replies;
  }

  #askBoth(question: Question): Promise<Replies> {
    const { before, after } = this.plan;
    return Promise.all([askOne(before, question), askOne(after, question)]);
  }

  async compare(zone: ComparedZone): Promise<ZoneComparison> {
    const { before, after, strict, ttl } = this.plan;
    const names: string[] = [];
    const result = { zone: zone.name, questions: 0, differences: [], expected: new Map<Reason, number>() };
    let apex: Name;
    const records: ComparedRecord[] = [];
    try {
      apex = lowerCase(parseName(zone.name));
      const read = await zone.read();
      if (read !== undefined) {
        names.push('source');
        for (const { name, type } of read) records.push({ name: lowerCase(name), type });
      }
    } catch (error) {
      if (!(error instanceof WaypostError) && !(error instanceof Error && 'syscall' in error)) throw error;
      return { ...result, names, error: `its names cannot be read: ${error.message}` };
    }
    const replies = await this.soa(zone.name);
    for (const [i, server] of [before, after].entries()) {
      const reply = replies[i];
      if (reply === undefined || !reply.authoritative || reply.answer.length === 0)
        return { ...result, names, error: `${server.title} does not serve the zone` };
      const transferred = await server.transfer(apex);
      if (typeof transferred === 'string') continue;
      names.push(server.title);
      for (const { name, type } of transferred) records.push({ name, type });
    }
    if (records.length === 0)
      return { ...result, names, error: 'neither the source nor a transfer from one of the servers gives its names' };
    // Each server has an SOA and NS records, even if the source has none.
    records.push({ name: apex, type: TYPE.SOA }, { name: apex, type: TYPE.NS });
    const questions = questionsOf(
      { apex, records, isProxied: zone.isProxied, isApex: (name) => this.#apexes.has(nameId(name)) },
      this.#label,
    );
    const answers = await Promise.all(questions.map((question) => this.#ask(zone.name, question, { apex, ttl })));
    const differences: AnswerDifference[] = [];
    const expected = new Map<Reason, number>();
    for (const answer of answers) {
      if (answer === undefined) continue;
      const { reason } = answer.difference;
      if (reason !== undefined) expected.set(reason, (expected.get(reason) ?? 0) + 1);
      if (reason === undefined || strict) differences.push(answer);
    }
    return { zone: zone.name, questions: questions.length, differences, expected, names };
  }

  async #ask(
    zone: string,
    question: Question,
    options: { readonly apex: Name; readonly ttl: boolean },
  ): Promise<AnswerDifference | undefined> {
    await this.#slots.acquire();
    try {
      const isSoa = question.type === TYPE.SOA && equalNames(question.name, options.apex);
      const [old, current] = await (isSoa ? this.soa(zone) : this.#askBoth(question));
      if (old === undefined || current === undefined)
        return { zone, question, before: old, after: current, difference: { parts: ['status'] } };
      const difference = compareReplies(question, old, current, options);
      return difference === undefined ? undefined : { zone, question, before: old, after: current, difference };
    } finally {
      this.#slots.release();
    }
  }
}

/** Undefined: no response, or a malformed response. */
async function askOne(server: DnsServer, { name, type }: Question): Promise<Reply | undefined> {
  try {
    const message = await server.query(name, type);
    return message === undefined ? undefined : parseReply(message);
  } catch (error) {
    if (error instanceof InvalidError || (error instanceof Error && 'syscall' in error)) return undefined;
    if (error instanceof Error && /in time/.test(error.message)) return undefined;
    throw error;
  }
}

const lowerCase = (name: Name): Name => name.map((byte) => LOWER[byte]);

/** The id of each name, relative names as in the API. */
export function namesOf(apex: Name, relative: Iterable<string>): ReadonlySet<string> {
  return new Set([...relative].map((name) => nameId(name === '@' ? apex : parseName(name, apex))));
}
