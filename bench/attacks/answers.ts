/** What attacks by expensive answers share: queries at a rate, and probes of another tenant. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../core/dns/wire/types.ts';
import type { Daemon } from '../../test/support/daemon.ts';
import { UdpClient } from '../../test/support/dns-client.ts';
import { encodeQuery } from '../../test/support/message.ts';
import { until } from '../../test/support/until.ts';
import { printRow, probeFor, processFigures } from './stage.ts';

const PACKETS_A_SECOND = 150;
const TICK_MS = 20;
/** Milliseconds after which a probe has failed. */
const TIMEOUT_MS = 2000;

function encode(name: string, type: number, id: number, dnssecOk: boolean): Uint8Array {
  const edns = { version: 0, size: 1232, do: dnssecOk };
  return encodeQuery({ name: parseName(name), type, class: CLASS_IN, edns }, id & 0xffff);
}

/** Sends packets of the attack until it is stopped. */
async function attack(port: number, name: string, type: number, isOver: () => boolean): Promise<void> {
  const client = await UdpClient.connect(port);
  const start = performance.now();
  for (let sent = 0; !isOver(); await sleep(TICK_MS))
    for (const due = ((performance.now() - start) * PACKETS_A_SECOND) / 1000; sent < due; sent++)
      client.send(encode(name, type, sent, true));
  client.close();
}

/** Another tenant of a daemon, who has the name www.victim.test. */
export class Victim {
  readonly #daemon: Daemon;
  readonly #client: UdpClient;
  #nextId = 0;

  private constructor(daemon: Daemon, client: UdpClient) {
    this.#daemon = daemon;
    this.#client = client;
  }

  static async of(daemon: Daemon): Promise<Victim> {
    await daemon.api.createRecord(await daemon.api.createDomain('victim.test'), 'www', 'A', '192.0.2.1');
    return new Victim(daemon, await UdpClient.connect(daemon.dnsPort));
  }

  readonly #probe = async (): Promise<void> => {
    const packet = encode('www.victim.test', TYPE.A, this.#nextId++, false);
    const response = await this.#client.query(packet, TIMEOUT_MS, 1);
    if (response === null || (response[3] & 15) !== RCODE.NOERROR || response[7] !== 1) throw new Error('no answer');
  };

  /** Prints a row: probes for so many seconds without queries for the name, and with them. */
  async measure(what: string, name: string, type: number, seconds: number): Promise<void> {
    // What an earlier attack has left in the socket is answered first.
    await until(() =>
      this.#probe().then(
        () => true,
        () => false,
      ),
    );
    const { dnsPort, child } = this.#daemon;
    const without = await probeFor(seconds, this.#probe);
    let isOver = false;
    const attacked = attack(dnsPort, name, type, () => isOver);
    const during = await probeFor(seconds, this.#probe);
    const { megabytes, descriptors } = processFigures(child.pid);
    isOver = true;
    await attacked;
    printRow(what, without, during, [`${megabytes} MB`, String(descriptors)]);
  }

  close(): void {
    this.#client.close();
  }
}
