/** The reflector as a "server": its CPU time is what the kernel takes for a query of any server. */
import { fileURLToPath } from 'node:url';
import type { Command, Server } from './servers.ts';

const REFLECTOR = fileURLToPath(new URL('reflector.js', import.meta.url));

export const FLOOR = 'no DNS (floor)';

export class Reflector implements Server {
  readonly name = FLOOR;
  readonly port = 5944;
  readonly tlsPort = null;
  readonly answers = false;

  version(): string {
    return 'recvmmsg and sendmmsg through koffi';
  }

  async prepare(): Promise<Command> {
    return { command: process.execPath, args: [REFLECTOR, String(this.port)] };
  }
}
