/** Second factors of accounts in tests. */

import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { passkeys } from '../../../core/store/rows.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { App, STEP } from '../../support/authenticator-app.ts';
import { newId } from '../../support/ids.ts';
import { listOf } from '../daemon.ts';
import { Browser } from './browser.ts';
import { type ContractTest, type Member, succeeded, type World } from './world.ts';

export const TOTP_PATH = '/api/v1/account/totp';
export const PASSKEYS = '/api/v1/account/passkeys';
export const PASSKEY_SIGN_IN = '/api/v1/session/passkey';
/** Browsers trust it without TLS. */
export const LOCALHOST = 'localhost';

/** The row of a passkey that no authenticator has; returns its id. */
export async function storedPasskey({ daemon }: World, accountId: number): Promise<number> {
  const id = newId();
  await write(daemon.environment, daemon.journal, 'test', (draft) =>
    draft.put(passkeys, {
      ...{ id, accountId, name: 'stored', credentialId: `stored-${id}`, publicKey: 'AA', counter: 0 },
      ...{ rpId: LOCALHOST, transports: [], isBackedUp: false, createdAt: 1, usedAt: null },
    }),
  );
  return id;
}

/**
 * Lets the tests of a suite run at the start of a time step, so that no step ends between making a
 * code and checking it.
 */
export function atStartOfStep(test: ContractTest): void {
  const { now } = Date;
  test.before.each(() => {
    const real = now();
    const shift = STEP * 1000 - (real % (STEP * 1000));
    Date.now = () => now() + shift;
  });
  test.after.each(() => {
    Date.now = now;
  });
}

/** Turns on one-time codes; the first code is of the step before this one. */
export async function withTotp({ client, password }: Member): Promise<{ app: App; recoveryCodes: string[] }> {
  const { body } = succeeded(await client.post(TOTP_PATH, { password }));
  const app = new App(String(body.secret));
  const json = { password, code: app.code(-STEP) };
  const confirmed = succeeded(await client.post(`${TOTP_PATH}/confirm`, json));
  return { app, recoveryCodes: listOf(confirmed.body.recovery_codes).map(String) };
}

/** A browser at http://localhost, signed in with a password. */
export async function atLocalhost(world: World, member: Pick<Member, 'username' | 'password'>): Promise<Browser> {
  const browser = new Browser(world, {}, LOCALHOST);
  await browser.signIn(member);
  return browser;
}

export const originOf = ({ daemon }: World): string => daemon.url.replace('127.0.0.1', LOCALHOST);

/** The options of a registration. */
export async function creationOptions(
  browser: Browser,
  password: string,
): Promise<Parameters<Authenticator['create']>[0]> {
  const { body } = succeeded(await browser.send('POST', `${PASSKEYS}/options`, { password }));
  return body.options as never;
}

/** Adds a passkey of a new authenticator. */
export async function withPasskey(
  world: World,
  browser: Browser,
  { password }: Pick<Member, 'password'>,
): Promise<{ authenticator: Authenticator; id: number }> {
  const authenticator = new Authenticator(originOf(world));
  const options = await creationOptions(browser, password);
  const { body } = succeeded(await browser.send('POST', PASSKEYS, authenticator.create(options, 'a key')));
  return { authenticator, id: Number(body.passkey.id) };
}

/** The options of a sign-in. */
export async function signInOptions(world: World): Promise<Parameters<Authenticator['signIn']>[0]> {
  const { body } = succeeded(await world.nobody.send('GET', PASSKEY_SIGN_IN, { host: LOCALHOST }));
  assert.is(body.options.userVerification as unknown, 'required');
  return body.options as never;
}
