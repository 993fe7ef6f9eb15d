/**
 * What the generator reaches with a server that does nothing (reflector.ts): as much as it could
 * tell of any.
 */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../dns/process.ts';
import { SERVER_CORE } from '../dns/servers.ts';
import { describe, EACH, KEPT } from './compare.ts';
import { drive, type Measured } from './drive.ts';
import { requestText } from './plan.ts';

const REFLECTOR = fileURLToPath(new URL('reflector.js', import.meta.url));
const PORT = 8945;

export interface Ceiling {
  readonly clients: number;
  readonly how: string;
  readonly figure: Measured;
}

export async function measureCeiling(seconds: number, work: string, say: (line: string) => void): Promise<Ceiling[]> {
  const server = new ServerProcess(process.execPath, [REFLECTOR, String(PORT)], join(work, 'reflector.log'));
  try {
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.assertAlive();
    server.pin(SERVER_CORE);
    const text = requestText('GET', '/api/v1/domains/0123456789abcdef', { Authorization: `Bearer ${'x'.repeat(75)}` });
    const all: Ceiling[] = [];
    for (const clients of [32, 1]) {
      for (const how of [EACH, KEPT]) {
        const shape = { order: 'own', clients, keepAlive: how === KEPT, seconds } as const;
        const figure = await drive(
          { process: server, port: PORT },
          [{ text, status: 200, contains: ['....'] }],
          shape,
          work,
        );
        all.push({ clients, how, figure });
        say(`ceiling, clients: ${clients}  ${describe('reflector', how, figure)}`);
      }
    }
    return all;
  } finally {
    await server.stop();
  }
}
