/**
 * What stands for the routers: nodes run the commands `cluster.withdraw_command` and
 * `cluster.announce_command`, and queries and writes leave them or come back.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Action = 'withdraw' | 'announce';

/** Calls the server below with ACTION and NODE_NAME, and fails if it does. */
const program = (url: string): string => `#!${process.execPath}
fetch(${JSON.stringify(url)} + process.env.ACTION + '/' + process.env.NODE_NAME).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);
`;

/** Milliseconds that the routers take after the last packet was sent to the node. */
const CONVERGENCE_MS = 500;

export class Routing {
  /** Of the program that is both commands. */
  readonly command: string;
  readonly #server: Server;
  /** Set before the first withdrawal; until then commands only succeed. */
  onAction: ((action: Action, node: string) => Promise<void>) | null = null;
  readonly #waiting = new Map<string, () => void>();

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.command = join(folder, 'routing.cjs');
    writeFileSync(this.command, program(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    chmodSync(this.command, 0o755);
    server.on('request', (request, response) => {
      const [, action, node] = (request.url ?? '').split('/');
      void this.#act(action as Action, node).then(
        () => response.end(),
        () => response.writeHead(500).end(),
      );
    });
  }

  static async open(folder: string): Promise<Routing> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Routing(server, folder);
  }

  /** Resolves when the node has run the command, and traffic has moved. */
  next(action: Action, node: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(`${action} ${node}`, resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #act(action: Action, node: string): Promise<void> {
    await this.onAction?.(action, node);
    if (this.onAction !== null && action === 'withdraw') await sleep(CONVERGENCE_MS);
    this.#waiting.get(`${action} ${node}`)?.();
  }
}
