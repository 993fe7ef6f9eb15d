/** The network of the simulated phone: its conditions, and a log of the app's requests. */

import type { Fixture } from '../../../core/net/dial/checked-connector.ts';
import { HostFault } from '../bridge/errors.ts';
import type { FetchResult } from '../bridge/operations.ts';
import type { AppNetwork } from '../host/network/app-network.ts';
import type { NetworkConditions } from '../host/network/conditions.ts';
import type { Call, FetchRequest } from '../host/services.ts';
import type { NetworkEntry, NetworkMode, NetworkView } from './protocol.ts';
import { Recent } from './recent.ts';

const MOST_ENTRIES = 200;
const LONGEST_URL = 500;
/** The texts of the page repeat these figures. */
const CONDITIONS: Readonly<Record<NetworkMode, NetworkConditions>> = {
  online: { mode: 'online' },
  offline: { mode: 'offline' },
  slow: { mode: 'slow', latencyMs: 2000, bytesPerSecond: 50_000 },
  error: { mode: 'error' },
};

export class SimulatedNetwork {
  readonly #log = new Recent<NetworkEntry>(MOST_ENTRIES);
  /** Imported for the first request: most apps send none. */
  #network: Promise<AppNetwork> | undefined;
  #mode: NetworkMode = 'online';
  #count = 0;

  /** `fixtures`: test servers by host name. */
  constructor(
    private readonly fixtures: ReadonlyMap<string, Fixture>,
    private readonly onChange: (view: NetworkView) => void,
  ) {
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

  /** Throws HostFault. */
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
      this.#network ??= this.#open();
      const result = await (await this.#network).fetch(call, request);
      finish({ status: result.status, bytes: sizeOf(result) });
      return result;
    } catch (error) {
      const { code, message } =
        error instanceof HostFault ? error : new HostFault('network_error', 'The request was stopped.');
      finish({ error: { code, message } });
      throw error;
    }
  }

  async close(): Promise<void> {
    (await this.#network)?.close();
  }

  async #open(): Promise<AppNetwork> {
    const network = await import('../host/network/app-network.ts');
    return new network.AppNetwork({ fixtures: this.fixtures, conditions: () => CONDITIONS[this.#mode] });
  }

  #changed(): void {
    this.onChange({ mode: this.#mode, entries: this.#log.entries });
  }
}

const sizeOf = ({ body, encoding }: FetchResult): number =>
  Buffer.byteLength(body, encoding === 'base64' ? 'base64' : 'utf8');
