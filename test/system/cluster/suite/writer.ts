/**
 * A client that changes records of its own domain, through whichever node it comes upon, and tries
 * again until it knows what has become of a change; now and then it gives one up instead. Records
 * `n…` are changed one by one; the records of the group change in one batch, and always have one
 * value.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, Json } from '../../../support/api-client.ts';
import type { Random } from '../../../support/random.ts';
import type { Node } from './machines.ts';
import { type Version, Versions } from './versions.ts';

const SINGLES = 4;
const GROUP = 4;
/** Milliseconds between changes, and before the next try. */
const PAUSE = 20;

interface Sync {
  readonly seq: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

export interface Counts {
  acknowledged: number;
  refused: number;
  /** Tries of which it is not known whether they were written. */
  doubtful: number;
  /** Of these, those that a running node had received, also while it stopped. */
  lost: number;
}

export class Writer {
  readonly domain: string;
  readonly singles: readonly Versions[];
  readonly group: readonly Versions[];
  readonly counts: Counts = { acknowledged: 0, refused: 0, doubtful: 0, lost: 0 };
  domainId = '';
  readonly #index: number;
  readonly #nodes: readonly Node[];
  readonly #random: Random;
  readonly #ids = new Map<Versions, string>();
  #counter = 0;

  constructor(index: number, nodes: readonly Node[], random: Random) {
    this.domain = `writer-${index}.example`;
    this.#index = index;
    this.#nodes = nodes;
    this.#random = random;
    const names = (label: string, count: number): Versions[] =>
      Array.from({ length: count }, (_, i) => new Versions(`${label}${i}.${this.domain}`));
    this.singles = names('n', SINGLES);
    this.group = names('g', GROUP);
  }

  get names(): readonly Versions[] {
    return [...this.singles, ...this.group];
  }

  async prepare(): Promise<void> {
    this.domainId = await this.#nodes[0].api.createDomain(this.domain);
    const value = this.#value();
    const issued = this.group.map((version) => version.issue(value));
    const post = this.group.map((version) => this.#body(version, value));
    const { body } = await this.#nodes[0].api.call('POST', `${this.#path}/batch`, { post });
    const ids = (body.created as { id: string }[]).map(({ id }) => id);
    this.group.forEach((version, i) => {
      this.#ids.set(version, ids[i]);
    });
    const { seq, applied } = body.sync as unknown as Sync;
    this.group.forEach((version, i) => {
      version.acknowledge(issued[i], seq, applied);
    });
  }

  /**
   * Until the signal; resolves when the last change is over. Rejects with what is against the
   * contract.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#random.below(4) === 0) await this.#changeGroup(signal);
      else await this.#changeOne(this.#random.pick(this.singles), signal);
      await sleep(this.#random.below(PAUSE), undefined, { signal }).catch(() => {});
    }
  }

  async #changeOne(name: Versions, signal: AbortSignal): Promise<void> {
    const id = this.#ids.get(name);
    if (id === undefined) {
      const value = this.#value();
      const key = randomUUID();
      const done = await this.#carryOut([name], value, signal, false, (node) =>
        node.api.request('POST', this.#path, this.#body(name, value), undefined, { 'Idempotency-Key': key }),
      );
      if (done !== null) this.#ids.set(name, (done.body.record as { id: string }).id);
    } else if (this.#random.below(4) === 0) {
      const done = await this.#carryOut([name], null, signal, false, (node) =>
        node.api.request('DELETE', `${this.#path}/${id}`),
      );
      if (done !== null) this.#ids.delete(name);
    } else {
      const value = this.#value();
      await this.#carryOut([name], value, signal, true, (node) =>
        node.api.request('PUT', `${this.#path}/${id}`, this.#body(name, value)),
      );
    }
  }

  async #changeGroup(signal: AbortSignal): Promise<void> {
    const value = this.#value();
    const put = this.group.map((version) => ({ id: this.#ids.get(version) as string, ...this.#body(version, value) }));
    await this.#carryOut(this.group, value, signal, true, (node) =>
      node.api.request('POST', `${this.#path}/batch`, { put }),
    );
  }

  /**
   * Null: it was refused, by every answer, before the signal came. Once it is in doubt, it is tried
   * until it is known: whatever a client does next rests on that. `isDisposable`: unless whatever
   * comes next does not.
   */
  async #carryOut(
    names: readonly Versions[],
    value: string | null,
    signal: AbortSignal,
    isDisposable: boolean,
    send: (node: Node) => Promise<ApiResponse>,
  ): Promise<ApiResponse | null> {
    const issued = names.map((version) => version.issue(value));
    for (let isInDoubt = false; ; await sleep(PAUSE)) {
      const node = this.#random.pick(this.#nodes);
      const wasRunning = node.isRunning;
      const response = await send(node).catch((error: Error) => {
        if (wasRunning && !isUnsent(error)) this.counts.lost++;
        return null;
      });
      const outcome = this.#judge(node, response, value === null && isInDoubt);
      if (outcome === 'done') {
        this.#acknowledge(names, issued, node, response as ApiResponse);
        return response;
      }
      if (outcome === 'doubtful') {
        this.counts.doubtful++;
        isInDoubt = true;
      }
      if (isInDoubt && isDisposable && this.#random.below(3) === 0) return null;
      if (isInDoubt || !signal.aborted) continue;
      this.counts.refused++;
      names.forEach((version, i) => {
        version.refuse(issued[i]);
      });
      return null;
    }
  }

  #acknowledge(
    names: readonly Versions[],
    issued: readonly Version[],
    { name }: Node,
    { status, body }: ApiResponse,
  ): void {
    this.counts.acknowledged++;
    // Deleted by a request whose answer was lost: by which change is not said.
    const { seq, applied } = status === 404 ? { seq: null, applied: [name] } : (body.sync as unknown as Sync);
    names.forEach((version, i) => {
      version.acknowledge(issued[i], seq, applied);
    });
  }

  /** `mayBeGone`: an earlier try may have deleted it. Throws Error for what no node may answer. */
  #judge({ name }: Node, response: ApiResponse | null, mayBeGone: boolean): 'done' | 'refused' | 'doubtful' {
    if (response === null) return 'doubtful';
    const { status, text, headers } = response;
    if (status === 200 || (status === 404 && mayBeGone)) return 'done';
    if (status !== 503 && status !== 507) throw new Error(`${this.domain} at ${name}: ${status} ${text}`);
    if (headers.get('retry-after') === null) throw new Error(`${this.domain} at ${name}: no Retry-After with ${text}`);
    return /unknown whether|change was written/.test(text) ? 'doubtful' : 'refused';
  }

  get #path(): string {
    return `/api/v1/domains/${this.domainId}/records`;
  }

  #body(name: Versions, content: string): { [key: string]: Json } {
    return { name: name.name.slice(0, name.name.indexOf('.')), type: 'A', content, ttl: 60 };
  }

  #value(): string {
    const n = ++this.#counter;
    return `10.${this.#index}.${n >> 8}.${n & 255}`;
  }
}

/** Without a listener: the request was not sent. */
const isUnsent = ({ cause }: Error): boolean => (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
