/**
 * The main-thread side of dnstap, which sends DNS messages to a program at a Unix socket. A slow or
 * stopped program never delays the DNS threads; they drop messages and count them.
 */

import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config, ListenAddress } from '../../config/index.ts';
import { TRANSPORT, TRANSPORT_NAMES } from '../../net/address/client.ts';
import { parseAddress } from '../../net/address/index.ts';
import { type BackOff, type StartReport, SupervisedThread } from '../../os/supervised-thread.ts';
import type { LocalAddress } from './encode.ts';
import type { DnstapData, FromDnstap, ToDnstap } from './messages.ts';
import { createTapRing, DROPPED, MESSAGES, type TapRing, viewsOf } from './ring.ts';

const BACK_OFF: BackOff = { first: 250, factor: 4, maximum: 60_000, settledAfter: 60_000 };
/** Timeout in milliseconds for the thread to send the messages in the rings. */
const STOP_MS = 5000;

interface DnstapOptions {
  readonly config: Pick<Config, 'dns' | 'dnstap' | 'nodeName'>;
  readonly version: string;
  readonly metrics: Registry;
  readonly log: Logger;
}

/** Null if `dnstap.socket` is not set. */
export function openDnstap(options: DnstapOptions): Dnstap | null {
  const { socket } = options.config.dnstap;
  if (socket === undefined) {
    dnstapMetrics(options.metrics, null);
    return null;
  }
  const dnstap = new Dnstap(options, socket);
  dnstapMetrics(options.metrics, dnstap);
  return dnstap;
}

class Dnstap {
  /** One ring for each UDP thread, then for TCP, TLS and DNS over HTTPS. */
  readonly rings: readonly TapRing[];
  isConnected = false;
  readonly #counters: readonly Float64Array[];
  readonly #thread: SupervisedThread<ToDnstap, Exclude<FromDnstap, StartReport>>;
  #lost = 0;

  constructor({ config, version, log }: DnstapOptions, path: string) {
    const { identity, messages, sample } = config.dnstap;
    this.rings = Array.from({ length: config.dns.workers + TRANSPORT_NAMES.length - 1 }, () =>
      createTapRing(sample, messages),
    );
    this.#counters = this.rings.map((ring) => viewsOf(ring).counters);
    const { listen, tlsListen } = config.dns;
    const plain = localOf(listen);
    const locals = new Map([
      [TRANSPORT.UDP, plain],
      [TRANSPORT.TCP, plain],
      [TRANSPORT.TLS, localOf(tlsListen)],
    ]);
    const faults = new FaultLog(log, 'dnstap is not connected; messages are dropped', 'dnstap is connected', {
      socket: path,
    });
    this.#thread = new SupervisedThread({
      log,
      role: 'dnstap',
      name: '1',
      file: new URL('./worker.js', import.meta.url),
      backOff: BACK_OFF,
      prepare: () => ({
        data: {
          path,
          identity: identity ?? config.nodeName,
          version: `waypost ${version}`,
          rings: this.rings,
          locals,
        } satisfies Omit<DnstapData, 'pulse'>,
        release: () => {
          this.isConnected = false;
        },
      }),
      failure: (message) => new Error(message),
      onMessage: (message) => {
        if (message.kind === 'lost') this.#lost += message.frames;
        else {
          this.isConnected = message.fault === null;
          faults.report(message.fault === null ? null : new Error(message.fault));
        }
      },
      onRestart() {},
    });
  }

  /** The number of messages that DNS threads have written to the rings. */
  get messages(): number {
    return this.#counters.reduce((sum, counters) => sum + counters[MESSAGES], 0);
  }

  get dropped(): number {
    return this.#counters.reduce((sum, counters) => sum + counters[DROPPED], this.#lost);
  }

  /** Until then the rings keep the messages. */
  start(): Promise<void> {
    return this.#thread.start();
  }

  /** Sends the messages in the rings. Call it after the DNS threads have stopped. */
  async stop(): Promise<void> {
    this.#thread.send({ kind: 'stop' });
    await this.#thread.stop(STOP_MS);
  }
}

/** The local address, as far as the settings are unambiguous. */
function localOf(listen: readonly ListenAddress[]): LocalAddress {
  const own = (family: 4 | 6): Uint8Array | null => {
    const addresses = listen.filter((item) => item.family === family).map((item) => item.address);
    const bytes = addresses.length === 1 ? parseAddress(addresses[0]) : undefined;
    return bytes?.some((byte) => byte !== 0) ? bytes : null;
  };
  const ports = new Set(listen.map(({ port }) => port));
  return { ipv4: own(4), ipv6: own(6), port: ports.size === 1 ? listen[0].port : 0 };
}

function dnstapMetrics(registry: Registry, dnstap: Dnstap | null): void {
  registry.read('gauge', 'waypost_dnstap_connected', '1 if a program reads the messages of dnstap.', [], (emit) =>
    emit(dnstap?.isConnected ? 1 : 0),
  );
  registry.read('counter', 'waypost_dnstap_messages_total', 'DNS messages passed to dnstap.', [], (emit) =>
    emit(dnstap?.messages ?? 0),
  );
  registry.read(
    'counter',
    'waypost_dnstap_dropped_total',
    'DNS messages that dnstap dropped: no program reads them, or it is too slow.',
    [],
    (emit) => emit(dnstap?.dropped ?? 0),
  );
}
