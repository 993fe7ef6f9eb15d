/**
 * `node dist/bench/attacks/revocation.js [--main FILE] [--seconds N]`: a thief has a token of an
 * account, and creates further tokens on many connections while the owner ends the access. A round
 * takes a new account. The last column counts tokens of the thief that are valid afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { customerOf } from './customers.ts';
import { attackOptions, type Probed, printRow, processFigures } from './stage.ts';

const CONNECTIONS = 32;
/** Below the limit of tokens of an account. */
const MAX_STOLEN = 900;
const HEAD_START_MS = 200;
const ROUND_SECONDS = 1;

const { main, seconds } = attackOptions('revocation', 'A thief creates tokens while the owner revokes them.', 10);

/** Creates tokens until the access has ended. */
class Thief {
  readonly #api: ApiClient;
  readonly #tokens: string[] = [];
  readonly #flood: Promise<unknown>;
  #isStopped = false;

  constructor(base: string, token: string) {
    this.#api = new ApiClient(base);
    this.#api.token = token;
    this.#flood = Promise.all(Array.from({ length: CONNECTIONS }, () => this.#steal()));
  }

  async #steal(): Promise<void> {
    while (!this.#isStopped && this.#tokens.length < MAX_STOLEN) {
      const { status, body } = await this.#api.request('POST', '/api/v1/tokens', { name: 'stolen' });
      if (status === 200) this.#tokens.push(String(body.token));
      else if (status === 401) return;
    }
  }

  /** Stops, and counts the tokens that are valid. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#flood;
    let valid = 0;
    for (const token of this.#tokens) {
      this.#api.token = token;
      if ((await this.#api.request('GET', '/api/v1/account')).status === 200) valid++;
    }
    return valid;
  }
}

const daemon = await startDaemon({ WAYPOST_RATE_LIMIT: '0', WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '0' }, { main });
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  let accounts = 0;
  let survivors = 0;

  const measure = async (isAttacked: boolean): Promise<Probed> => {
    const times: number[] = [];
    const rounds = Math.ceil(seconds / ROUND_SECONDS);
    for (let round = 0; round < rounds; round++) {
      const name = `owner${++accounts}`;
      const owner = await customerOf(daemon, name);
      const { body } = await owner.call('POST', '/api/v1/tokens', { name: 'to be stolen' });
      const thief = isAttacked ? new Thief(owner.base, String(body.token)) : null;
      await sleep(HEAD_START_MS);
      const start = performance.now();
      const { status } = await owner.request('PUT', '/api/v1/account/password', {
        password: `${name} has a long password`,
        new_password: 'a password that no client has',
        revoke_tokens: true,
      });
      if (status === 200) times.push(performance.now() - start);
      survivors += (await thief?.stop()) ?? 0;
    }
    return { times, sent: rounds };
  };

  const without = await measure(false);
  const attacked = await measure(true);
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  const figures = [`${megabytes} MB`, `${descriptors} descriptors`, `${survivors} tokens of the thief survive`];
  printRow('new password with `revoke_tokens`', without, attacked, figures);
} finally {
  await daemon.close();
}
process.exit();
