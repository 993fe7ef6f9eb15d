/**
 * What is measured: a server of HTTP/2 over TLS on its own loopback port, one core, with the same
 * bodies in memory.
 */
import type { ServerProcess } from '../dns/process.ts';
import { SERVER_CORE } from '../dns/servers.ts';
import { HOST } from './requests.ts';

export interface Contender {
  readonly name: string;
  readonly version: string;
  readonly process: ServerProcess;
  readonly port: number;
  /** Rows that it cannot do. */
  readonly without?: readonly string[];
  /** Key exchange groups that clients offer for handshakes; missing: those of OpenSSL. */
  readonly groups?: string;
}

export interface Tools {
  /** Folder for configurations and logs. */
  readonly work: string;
  readonly certificate: string;
  readonly key: string;
  /** Where the caches are filled from: plain HTTP on this port. */
  readonly originPort: number;
}

const READY_MS = 10_000;

/**
 * Waits until it answers, and keeps it on the server's core. Throws an Error with the end of its
 * log when it does not come up.
 */
export async function ready(contender: Contender, ask: (port: number) => Promise<number>): Promise<Contender> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    contender.process.assertAlive();
    try {
      const status = await ask(contender.port);
      if (status !== 200) throw new Error(`${contender.name} answers ${HOST} by ${status}`);
      break;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  contender.process.pin(SERVER_CORE);
  return contender;
}
