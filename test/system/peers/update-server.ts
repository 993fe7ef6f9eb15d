/**
 * The daemon's update path behind real sockets, in this process: DNS threads that hand on what they
 * leave, and the handler of updates.
 */

import { createLogger } from '../../../core/base/log/index.ts';
import { openSecrets } from '../../../core/base/secrets.ts';
import { verifyTsig } from '../../../core/dns/wire/tsig.ts';
import { OPCODE } from '../../../core/dns/wire/types.ts';
import type { DeferredRequest } from '../../../core/nameserver/deferred.ts';
import type { UdpLimitOptions } from '../../../core/nameserver/deferred-limit.ts';
import { startNameserver } from '../../../core/nameserver/nameserver.ts';
import { openKeyring } from '../../../core/store/tsig-keys/keyring.ts';
import { World } from '../../admin-api/zones/update/world.ts';
import { LIMITS, V4 } from '../../core/nameserver/fixture.ts';
import { TCP_LIMIT } from '../../reference/compare.ts';
import { QueryPath } from '../../support/in-process.ts';
import { freePort } from '../../support/ports.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { temporaryFolder } from '../../support/temp.ts';

export interface UpdateServer {
  readonly world: World;
  /** Of 127.0.0.1, UDP and TCP. */
  readonly port: number;
  stop(): Promise<void>;
}

/** `deferredUdp`: as in NameserverOptions. */
export async function startUpdateServer(deferredUdp?: UdpLimitOptions): Promise<UpdateServer> {
  const world = await World.start();
  const { index, keyFile, api } = world.daemon;
  const queries = new QueryPath(index);
  const findKey = openKeyring(world.reader, openSecrets(keyFile));
  const seconds = (): number => Math.floor(Date.now() / 1000);
  /** Signed queries, as certbot sends them to find its zone. */
  async function* signedQuery({ message }: DeferredRequest): AsyncGenerator<Uint8Array> {
    const verdict = verifyTsig(message, findKey, seconds());
    if (verdict.kind === 'error') yield verdict.response();
    if (verdict.kind !== 'ok') return;
    const response = queries.answer(verdict.message, TCP_LIMIT);
    if (response !== null) yield verdict.signer.sign(response, seconds());
  }
  const nameserver = await startNameserver({
    index,
    storeDirectory: temporaryFolder('update'),
    // Not one of the ports of clients: nsupdate may choose the server's own for an update, and asks
    // itself then.
    listen: [{ ...V4, port: await freePort() }],
    workers: 1,
    udpPayload: 1232,
    transport: 'auto',
    tcp: LIMITS,
    deferredUdp,
    tasks: singleNodeTasks(),
    log: createLogger({ level: 'error', format: 'text', write: (line) => process.stderr.write(line) }),
    answerDeferred: (request) =>
      ((request.message[2] >> 3) & 15) === OPCODE.UPDATE ? api.update(request) : signedQuery(request),
  });
  return {
    world,
    port: nameserver.listen[0].port,
    async stop() {
      await nameserver.stop();
      await world.stop();
    },
  };
}
