/** Streams the live requests of a domain and keeps the latest rows. */
import { signal } from '@preact/signals';
import { type Failure, failureOf } from '../failure.ts';
import { noteEnd } from '../session.ts';
import { EventParser } from './event-parser.ts';
import type { RequestRow } from './request-filter.ts';

/** Maximum number of rows. */
const MAX_ROWS = 500;
/** Milliseconds before a lost connection is opened again. */
const RETRY_MS = 2000;
const UNAUTHORIZED = 401;

export type LiveState = 'stopped' | 'connecting' | 'open' | 'lost' | 'hidden';

export class LiveRequests {
  readonly state = signal<LiveState>('stopped');
  readonly failure = signal<Failure | null>(null);
  /** Latest first. */
  readonly rows = signal<readonly RequestRow[]>([]);
  /** Number of requests that were not sampled. */
  readonly omitted = signal(0);
  /** Number of received rows, which is the key of the latest row. */
  readonly received = signal(0);
  /** Aborts the connection. Null: stopped. */
  #stop: AbortController | null = null;

  constructor(private readonly domainId: number) {}

  start(): void {
    if (this.#stop !== null) return;
    this.#stop = new AbortController();
    this.failure.value = null;
    this.state.value = 'connecting';
    void this.#follow(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.state.value = 'stopped';
  }

  /**
   * Must be called when the window is hidden or shown. A hidden window closes its connection,
   * because a browser opens at most six connections to a host over HTTP/1.1.
   */
  visibilityChanged(isHidden: boolean): void {
    if (isHidden && this.#stop !== null) {
      this.stop();
      this.state.value = 'hidden';
    } else if (!isHidden && this.state.value === 'hidden') this.start();
  }

  clear(): void {
    this.rows.value = [];
    this.omitted.value = 0;
  }

  async #follow(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const failure = await this.#read(stopped);
      if (stopped.aborted) return;
      if (failure !== null) {
        this.stop();
        this.failure.value = failure;
        return;
      }
      this.state.value = 'lost';
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Reads the stream until it ends. Null: the connection was lost, or the node has stopped. */
  async #read(stopped: AbortSignal): Promise<Failure | null> {
    try {
      const address = `/api/v1/domains/${this.domainId}/requests/tail`;
      const response = await fetch(address, { headers: { Accept: 'text/event-stream' }, signal: stopped });
      if (!response.ok || response.body === null) {
        if (response.status === UNAUTHORIZED) noteEnd();
        return failureOf(response.status, await response.json().catch(() => undefined));
      }
      this.state.value = 'open';
      const parser = new EventParser();
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return null;
        for (const { event, data } of parser.push(decoder.decode(value, { stream: true })))
          if (event === 'requests') this.#receive(data);
      }
    } catch {
      return null;
    }
  }

  #receive(data: string): void {
    const { node, omitted, requests } = JSON.parse(data) as {
      readonly node: string;
      readonly omitted: number;
      readonly requests: readonly Omit<RequestRow, 'key' | 'node'>[];
    };
    this.omitted.value += omitted;
    let key = this.received.value;
    const rows = requests.map((request) => ({ ...request, node, key: ++key }));
    this.received.value = key;
    this.rows.value = [...rows.reverse(), ...this.rows.value].slice(0, MAX_ROWS);
  }
}
