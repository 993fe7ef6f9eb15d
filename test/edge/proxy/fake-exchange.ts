/** An exchange without a connection that records the calls of its handler. */
import { NO_BODY } from '../../../edge/http/exchange/body-queue.ts';
import { type ClientMemory, MemoryBudget } from '../../../edge/http/exchange/client-memory.ts';
import type { AbortCause, Client, Exchange, RequestBody, VisitedSite } from '../../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import type { ReadyAnswer } from '../../../edge/http/exchange/ready-answer.ts';

export interface FakeRequest {
  readonly certificate?: string;
  readonly version?: Exchange['version'];
  readonly method?: string;
  readonly scheme?: 'http' | 'https';
  readonly targetScheme?: 'http' | 'https';
  readonly authority?: string;
  readonly path?: string;
  readonly headers?: FieldList;
  readonly protocol?: string;
  readonly address?: string;
  readonly body?: RequestBody;
}

export class FakeExchange implements Exchange {
  readonly version: Exchange['version'];
  readonly client: Client;
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly targetScheme: 'http' | 'https';
  readonly authority: string;
  readonly path: string;
  readonly headers: FieldList;
  readonly protocol: string;
  readonly body: RequestBody;
  readonly memory: ClientMemory;
  isEnded = false;
  inFlightAt = -1;
  visited: VisitedSite | null = null;

  status = 0;
  fields: FieldList = [];
  readonly parts: Uint8Array[] = [];
  trailers: FieldList = [];
  readonly informed: { status: number; headers: FieldList }[] = [];
  isAborted = false;
  /** The visitor accepts no more data: `write` returns false. */
  isFull = false;
  isUpgraded = false;
  isConversation = false;
  /** The response that was sent with `answer`. */
  ready: ReadyAnswer | null = null;
  #drain: (() => void) | null = null;
  #abort: ((cause: AbortCause) => void) | null = null;

  constructor(request: FakeRequest = {}) {
    this.version = request.version ?? '1.1';
    this.scheme = request.scheme ?? 'https';
    this.targetScheme = request.targetScheme ?? this.scheme;
    this.method = request.method ?? 'GET';
    this.authority = request.authority ?? 'www.site.test';
    this.path = request.path ?? '/';
    this.headers = request.headers ?? [];
    this.protocol = request.protocol ?? '';
    this.body = request.body ?? NO_BODY;
    this.memory = new MemoryBudget(Number.MAX_SAFE_INTEGER).enter(request.address ?? '198.51.100.7');
    this.client = {
      address: request.address ?? '198.51.100.7',
      port: 50_000,
      serverName: 'www.site.test',
      isEncrypted: this.scheme === 'https',
      tlsVersion: this.scheme === 'https' ? 'TLSv1.3' : '',
      certificate: request.certificate ?? '',
    };
  }

  get text(): string {
    return Buffer.concat(this.parts).toString();
  }

  field(name: string): string | undefined {
    const at = this.fields.findIndex((value, i) => i % 2 === 0 && value === name);
    return at < 0 ? undefined : this.fields[at + 1];
  }

  expectSilence(): void {
    this.isConversation = true;
  }

  inform(status: number, headers: FieldList): void {
    this.informed.push({ status, headers });
  }

  answer(ready: ReadyAnswer): void {
    if (this.isEnded) return;
    this.ready = ready;
    this.respond(ready.status, ready.date === '' ? ready.headers : [...ready.headers, 'date', ready.date]);
    this.end(ready.body);
  }

  respond(status: number, headers: FieldList): void {
    if (this.isEnded) return;
    if (this.status !== 0) throw new Error('the response head has already been sent');
    this.status = status;
    this.fields = headers;
  }

  reserve(bytes: number): number {
    return bytes;
  }

  write(chunk: Uint8Array): boolean {
    if (!this.isEnded) this.parts.push(chunk);
    return !this.isFull;
  }

  lend(chunk: Uint8Array): boolean {
    return this.write(Uint8Array.from(chunk));
  }

  end(chunk?: Uint8Array, trailers: FieldList = []): void {
    if (this.isEnded) return;
    if (chunk !== undefined && this.method !== 'HEAD') this.parts.push(chunk);
    this.trailers = trailers;
    this.isEnded = true;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  onAbort(listener: (cause: AbortCause) => void): void {
    this.#abort = listener;
  }

  upgrade(headers: FieldList): void {
    this.status = 101;
    this.fields = headers;
    this.isUpgraded = true;
  }

  abort(): void {
    this.isEnded = true;
    this.isAborted = true;
  }

  /** The visitor disconnects. */
  leave(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#abort?.('client');
  }

  drain(): void {
    this.isFull = false;
    this.#drain?.();
  }
}
