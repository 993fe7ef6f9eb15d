/** The network of the simulated phone: how it behaves, and a log of the requests of the app. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HostFault } from '../bridge/errors.ts';
import type { FetchResult } from '../bridge/operations.ts';
import type { Call, FetchRequest } from '../host/services.ts';
import type { NetworkEntry, NetworkMode, NetworkView } from './protocol.ts';
import { Recent } from './recent.ts';

const MOST_ENTRIES = 200;
/** Before each request of the mode `slow`. */
const SLOW_MS = 3000;
const LONGEST_URL = 500;

export type Fetch = (call: Call, request: FetchRequest) => Promise<FetchResult>;

export class SimulatedNetwork {
  readonly #fetch: Fetch;
  readonly #onChange: (view: NetworkView) => void;
  readonly #log = new Recent<NetworkEntry>(MOST_ENTRIES);
  #mode: NetworkMode = 'online';
  #count = 0;

  constructor(fetch: Fetch, onChange: (view: NetworkView) => void) {
    this.#fetch = fetch;
    this.#onChange = onChange;
    this.#changed();
  }

  setMode(mode: NetworkMode): void {
    this.#mode = mode;
    this.#changed();
  }

  clear(): void {
    this.#log.clear();
    this.#changed();
  }

  async fetch(call: Call, request: FetchRequest): Promise<FetchResult> {
    const start = Date.now();
    const url = request.url.length > LONGEST_URL ? `${request.url.slice(0, LONGEST_URL)}…` : request.url;
    const entry: NetworkEntry = { id: ++this.#count, at: start, method: request.method, url };
    this.#log.add(entry);
    this.#changed();
    const finish = (outcome: Partial<NetworkEntry>): void => {
      this.#log.replace(entry, { ...entry, ...outcome, milliseconds: Date.now() - start });
      this.#changed();
    };
    try {
      const result = await this.#fetchInMode(call, request);
      finish({ status: result.status, bytes: sizeOf(result) });
      return result;
    } catch (error) {
      const { code, message } =
        error instanceof HostFault ? error : new HostFault('network_error', 'The request was stopped.');
      finish({ error: { code, message } });
      throw error;
    }
  }

  async #fetchInMode(call: Call, request: FetchRequest): Promise<FetchResult> {
    if (this.#mode === 'offline') throw new HostFault('network_error', 'The phone is offline.');
    if (this.#mode === 'error') throw new HostFault('network_error', 'The connection was reset.');
    if (this.#mode === 'slow') await sleep(SLOW_MS, undefined, { signal: call.signal });
    return this.#fetch(call, request);
  }

  #changed(): void {
    this.#onChange({ mode: this.#mode, entries: this.#log.entries });
  }
}

const sizeOf = ({ body, encoding }: FetchResult): number =>
  Buffer.byteLength(body, encoding === 'base64' ? 'base64' : 'utf8');
