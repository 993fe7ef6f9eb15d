/** The reflector as a "server": its row says what the kernel and the generator leave to a server. */
import { fileURLToPath } from 'node:url';
import type { Command, Server } from './servers.ts';

const REFLECTOR = fileURLToPath(new URL('reflector.js', import.meta.url));

export class Reflector implements Server {
  readonly name = 'no DNS (floor)';
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
