/** When the main thread fetches the status of a certificate, and what a thread requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Stapler } from '../../../../edge/certificates/ocsp/stapler.ts';
import { type FromStaples, type StapleFetched, Staples } from '../../../../edge/certificates/ocsp/staples.ts';
import { type CheckedStatus, RevokedError } from '../../../../edge/certificates/ocsp/status.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { until } from '../../../support/until.ts';
import { chainWith } from './responder.ts';

const test = suite('edge/certificates/ocsp/stapler');
const chain = chainWith('http://ocsp.test');
const wanted: FromStaples = { kind: 'staple-wanted', id: 'a', chain };
const used: FromStaples = { kind: 'staple-used', id: 'a' };
const RESPONSE = Uint8Array.of(1, 2, 3);

interface Rig {
  readonly stapler: Stapler;
  readonly sent: StapleFetched[];
  readonly lines: string[];
  fetches: number;
  concurrent: number;
  most: number;
  /** What the next fetches return. */
  result: () => Promise<CheckedStatus>;
}

const goodFor = (milliseconds: number) => async (): Promise<CheckedStatus> => {
  const now = Date.now();
  return { response: RESPONSE, refreshAt: now + milliseconds / 2, expiresAt: now + milliseconds };
};

async function withStapler(use: (rig: Rig) => Promise<void>): Promise<void> {
  const sent: StapleFetched[] = [];
  const lines: string[] = [];
  const stapler = new Stapler({
    fetch: async () => {
      rig.fetches++;
      rig.most = Math.max(rig.most, ++rig.concurrent);
      return rig.result().finally(() => rig.concurrent--);
    },
    send: (message) => sent.push(message),
    tasks: singleNodeTasks(),
    log: createLogger({ level: 'warn', format: 'text', write: (line) => lines.push(line) }),
    minRefresh: 10,
    firstRetry: 20,
  });
  const rig: Rig = { stapler, sent, lines, fetches: 0, concurrent: 0, most: 0, result: goodFor(60_000) };
  try {
    await use(rig);
  } finally {
    stapler.close();
  }
}

test('a certificate is fetched once, however many threads request it', async () => {
  await withStapler(async (rig) => {
    for (let i = 0; i < 4; i++) rig.stapler.receive(wanted);
    await until(() => rig.sent.length === 1, 'a staple');
    assert.is(rig.fetches, 1);
    assert.equal(rig.sent[0].response, RESPONSE);
    // A new thread.
    rig.stapler.receive(wanted);
    assert.is(rig.sent.length, 2);
    assert.is(rig.fetches, 1);
    assert.is(rig.stapler.size, 1);
  });
});

test('a staple in use is fetched again before it ends, another is not', async () => {
  await withStapler(async (rig) => {
    rig.result = goodFor(400);
    rig.stapler.receive(wanted);
    await until(() => rig.sent.length === 1, 'a staple');
    rig.stapler.receive(used);
    await until(() => rig.sent.length === 2, 'the next staple');
    assert.ok(Date.now() < rig.sent[0].expiresAt, 'before the end');
    await until(() => rig.stapler.size === 0, 'the end of the staple');
    assert.is(rig.fetches, 2);
  });
});

test('a failure keeps the last staple, and is retried with delays that double', async () => {
  await withStapler(async (rig) => {
    rig.result = goodFor(60_000);
    const good = await goodFor(60_000)();
    rig.result = async () => ({ ...good, refreshAt: Date.now() });
    rig.stapler.receive(wanted);
    await until(() => rig.sent.length === 1, 'a staple');
    const times: number[] = [];
    rig.result = async () => {
      times.push(performance.now());
      rig.stapler.receive(used);
      throw new Error('on purpose');
    };
    rig.stapler.receive(used);
    await until(() => times.length === 4, 'retries');
    assert.is(rig.stapler.size, 1);
    assert.ok(times[3] - times[2] >= 75, `${times}`);
    assert.match(rig.lines.join('\n'), /cannot fetch the OCSP response.*on purpose/);
    rig.result = goodFor(60_000);
    await until(() => rig.sent.length === 2, 'the next staple');
  });
});

test('a revoked certificate loses its last response', async () => {
  await withStapler(async (rig) => {
    rig.result = goodFor(400);
    rig.stapler.receive(wanted);
    await until(() => rig.sent.length === 1, 'a staple');
    rig.result = () => Promise.reject(new RevokedError('revoked'));
    rig.stapler.receive(used);
    await until(() => rig.sent.length === 2, 'the withdrawal');
    assert.is(rig.sent[1].expiresAt, 0);
    assert.is(rig.stapler.size, 0);
    assert.match(rig.lines.join('\n'), /a served certificate is revoked/);
  });
});

test('a chain that names no issuer is reported, and nothing is fetched', async () => {
  await withStapler(async (rig) => {
    const [leaf] = chain.split(/(?<=-----END CERTIFICATE-----\n)/);
    rig.stapler.receive({ ...wanted, chain: leaf });
    await until(() => rig.lines.length > 0, 'a warning');
    assert.match(rig.lines[0], /does not contain the issuer/);
    assert.is(rig.fetches, 0);
  });
});

test('few are fetched at a time', async () => {
  await withStapler(async (rig) => {
    rig.result = async () => {
      await sleep(5);
      return goodFor(60_000)();
    };
    for (let i = 0; i < 40; i++) rig.stapler.receive({ ...wanted, id: String(i) });
    await until(() => rig.sent.length === 40, 'all staples');
    assert.is(rig.most, 16);
  });
});

test('a thread requests a staple at most once a minute, and reports the use of each once', () => {
  const sent: FromStaples[] = [];
  let now = 1_000_000;
  const staples = new Staples(
    (message) => sent.push(message),
    () => now,
  );
  const certificate = { cert: chain, key: '' };
  assert.is(staples.of(certificate), undefined);
  assert.is(staples.of(certificate), undefined);
  assert.is(sent.length, 1);
  const [{ id, kind }] = sent;
  assert.is(kind, 'staple-wanted');
  now += 60_000;
  assert.is(staples.of(certificate), undefined);
  assert.is(sent.length, 2);
  staples.store({ kind: 'staple', id, response: RESPONSE, expiresAt: now + 1000 });
  assert.is(staples.of(certificate), RESPONSE);
  assert.is(staples.of({ ...certificate }), RESPONSE, 'the same certificate in another object');
  assert.equal(sent.slice(2), [{ kind: 'staple-used', id }]);
  now += 1000;
  assert.is(staples.of(certificate), undefined, 'its time is over');
  const without = { cert: chainWith(), key: '' };
  assert.is(staples.of(without), undefined);
  assert.is(sent.length, 3);
});

test.run();
