import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProtection } from '../../../../core/site/protection/compile.ts';
import type { ProtectionDocument } from '../../../../core/site/protection/document.ts';
import { WAITING_COST } from '../../../../edge/http/transport/flusher.ts';
import {
  QUANTUM,
  QUANTUM_ALONE,
  SiteShare,
  ThreadTurns,
  type TurningLoop,
} from '../../../../edge/policy/fairness/thread-turns.ts';
import type { SiteDocuments } from '../../../../edge/sites/site-documents.ts';
import fc from '../../../support/fc.ts';
import { type Begun, SimulatedThread } from './thread.ts';

const test = suite('turns of sites');
const SERVICE_MS = 0.05;

/** `clients` of a site, each of which has one request at all times. */
function flood(thread: SimulatedThread, site: string, clients: number, network = '192.0.2.1'): { count: number } {
  const answered = { count: 0 };
  const send = (at: number): void =>
    thread.arrive({
      ...{ site, at, network },
      onAnswer: (time) => {
        answered.count++;
        send(time);
      },
    });
  for (let i = 0; i < clients; i++) send(0);
  return answered;
}

/**
 * A request of another site every `every` ms; returns how many requests of others began between
 * the arrival and the answer of each, from `from` on.
 */
function trickle(thread: SimulatedThread, site: string, every: number, from: number, to: number): number[] {
  const overtaken: number[] = [];
  for (let at = every; at < to; at += every) {
    let begun = 0;
    thread.arrive({
      ...{ site, at, network: '198.51.100.1' },
      onArrival: () => {
        // Timers are late by the turn in which they become due: all of it may have come before.
        const turn = thread.begun.at(-1)?.turn;
        begun = thread.begun.findLastIndex((begin) => begin.turn !== turn) + 1;
      },
      onAnswer: () => {
        if (at >= from) overtaken.push(thread.begun.slice(begun).filter((begin) => begin.site !== site).length);
      },
    });
  }
  return overtaken;
}

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** How many of the requests began in the longest turn. */
function longestTurn(begun: readonly Begun[]): number {
  const counts = new Map<number, number>();
  for (const { turn } of begun) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return Math.max(...counts.values());
}

for (const clients of [100, 2000])
  test(`a request waits for the share of a flooded site in two turns at most, of ${clients} requests`, () => {
    const thread = new SimulatedThread(SERVICE_MS);
    const answered = flood(thread, 'flooded', clients);
    const overtaken = trickle(thread, 'other', 3.7, 100, 800);
    thread.run(800);
    assert.ok(overtaken.length > 150);
    const most = Math.max(...overtaken);
    assert.ok(most <= 2 * QUANTUM, `${most} requests began before one`);
    assert.ok(most >= QUANTUM / 2, `the flood keeps the thread busy: ${most}`);
    // All of the thread's time but what the other requests take.
    assert.ok(answered.count >= 800 / SERVICE_MS - 800 / 3.7 - 100, String(answered.count));
  });

test('of requests that wait for an origin, fewer begin in a turn', () => {
  const thread = new SimulatedThread(SERVICE_MS);
  trickle(thread, 'other', 1, 0, 100);
  let ended = 0;
  for (let i = 0; i < 200; i++)
    thread.arrive({ site: 'proxied', at: 50, network: '192.0.2.1', onBegin: (end) => thread.at(60 + i, end) });
  for (let i = 0; i < 200; i++)
    thread.arrive({ site: 'hits', at: 50, network: '192.0.2.1', onAnswer: () => void ended++ });
  thread.run(300);
  assert.is(ended, 200);
  const begunOf = (name: string): readonly Begun[] => thread.begun.filter(({ site }) => site === name);
  assert.is(begunOf('proxied').length, 200);
  assert.is(longestTurn(begunOf('proxied')), Math.ceil(QUANTUM / (1 + WAITING_COST)));
  assert.is(longestTurn(begunOf('hits')), QUANTUM);
});

test('while it is alone on the thread, the turns of a site are long, but have an end', () => {
  const thread = new SimulatedThread(SERVICE_MS);
  flood(thread, 'a', 2000);
  thread.run(300);
  assert.is(longestTurn(thread.begun), QUANTUM_ALONE);
});

test('two flooded sites get equal shares, however many clients each has', () => {
  const thread = new SimulatedThread(SERVICE_MS);
  const [many, few] = [flood(thread, 'many', 500), flood(thread, 'few', 50)];
  thread.run(500);
  const before = [many.count, few.count];
  thread.run(1000);
  const [a, b] = [many.count - before[0], few.count - before[1]];
  assert.ok(a / b > 0.9 && a / b < 1.1, `${a} and ${b}`);
  assert.ok(
    longestTurn(thread.begun.slice(5000)) <= QUANTUM,
    `they divide a turn: ${longestTurn(thread.begun.slice(5000))}`,
  );
});

test('when the other site has been quiet for ten seconds, turns are long again', () => {
  const thread = new SimulatedThread(1);
  flood(thread, 'a', 200);
  trickle(thread, 'b', 5, 0, 500);
  thread.run(9000);
  assert.ok(longestTurn(thread.begun.slice(500)) <= QUANTUM + 8);
  thread.run(12_600);
  const before = thread.begun.length;
  thread.run(13_000);
  assert.ok(longestTurn(thread.begun.slice(before)) > QUANTUM + 8);
});

test('excess in one turn is subtracted from the next ones', () => {
  const loop: TurningLoop = { onTurn: null };
  const turns = new ThreadTurns(loop);
  turns.isContended = true;
  loop.onTurn?.();
  const [large, small] = [new SiteShare(turns), new SiteShare(turns)];
  large.spend(2 * QUANTUM + 1);
  const pattern: boolean[][] = [];
  for (let i = 0; i < 4; i++) {
    pattern.push([large.isSpent, small.isSpent]);
    loop.onTurn?.();
  }
  assert.equal(pattern, [
    [true, false],
    [true, false],
    [false, false],
    [false, false],
  ]);
});

test('waiting output is sent in order within the share, and every fourth turn is for input', () => {
  const loop: TurningLoop = { onTurn: null };
  const turns = new ThreadTurns(loop);
  turns.isContended = true;
  loop.onTurn?.();
  const share = new SiteShare(turns);
  const flushed: number[] = [];
  for (let i = 0; i < 20; i++)
    share.flushLater({
      flushDue() {
        share.spend(QUANTUM / 4);
        flushed.push(i);
      },
    });
  const counts: number[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const before = flushed.length;
    loop.onTurn?.();
    counts.push(flushed.length - before);
  }
  assert.equal(counts, [4, 4, 0, 4, 4, 4, 0, 0]);
  assert.equal(flushed, [...flushed.keys()]);
});

test('visitors of a flooded site take turns by network, so others than the flood get through', () => {
  const thread = new SimulatedThread(SERVICE_MS);
  flood(thread, 'a', 400, '192.0.2.1');
  trickle(thread, 'b', 2, 0, 3000);
  const waits: number[] = [];
  for (let at = 500; at < 2900; at += 20)
    thread.arrive({ site: 'a', at, network: '203.0.113.9', onAnswer: (time) => waits.push(time - at) });
  thread.run(3000);
  assert.ok(waits.length > 100);
  // The 400 requests of the flood are 25 ms of its share.
  assert.ok(quantile(waits, 0.95) < 4, String(quantile(waits, 0.95)));
});

test('a site may have three quarters of the requests in flight; each one that ends makes room', () => {
  const thread = new SimulatedThread(0.001, { maxInFlight: 40 });
  const ends: (() => void)[] = [];
  const pages: (string | null)[] = [];
  const visit = (site: string, at: number) => ({
    ...{ site, at, network: '192.0.2.1' },
    onBegin: (end: () => void) => ends.push(end),
    onAnswer: (_: number, page: { code: string } | null) => pages.push(page?.code ?? null),
  });
  for (let i = 0; i < 50; i++) thread.arrive(visit('a', 0));
  thread.run(1);
  assert.is(ends.length, 30);
  assert.equal(pages, Array(20).fill('site_busy'));
  for (let i = 0; i < 50; i++) thread.arrive(visit('b', 2));
  thread.run(3);
  assert.is(ends.length - 30, 8, 'three times what is left: 8 of the last 10, then 2 are left');
  for (const end of ends.splice(0)) end();
  for (let i = 0; i < 50; i++) thread.arrive(visit('c', 4));
  thread.run(5);
  assert.is(ends.length, 30);
});

const documentsOf = (document: ProtectionDocument): { readonly documents: SiteDocuments } => ({
  documents: { protection: compileProtection(document), errorPages: null, key: '' } as unknown as SiteDocuments,
});

test("limits of the site's own: requests per second with a burst of one second, and in flight", () => {
  const thread = new SimulatedThread(0.001);
  const pages: (string | null)[] = [];
  const site = documentsOf({ limits: { requests_per_second: 10 } });
  const onAnswer = (_: number, page: { code: string } | null): void => void pages.push(page?.code ?? null);
  for (let i = 0; i < 15; i++) thread.arrive({ site: 'a', at: 0, network: 'n', onAnswer }, site);
  thread.arrive({ site: 'a', at: 150, network: 'n', onAnswer }, site);
  thread.arrive({ site: 'b', at: 150, network: 'n', onAnswer });
  thread.run(200);
  assert.equal(pages, [...Array(10).fill(null), ...Array(5).fill('site_limit'), null, null]);

  const ends: (() => void)[] = [];
  const few = documentsOf({ limits: { requests_in_flight: 2 } });
  for (let i = 0; i < 3; i++)
    thread.arrive({ site: 'c', at: 300, network: 'n', onBegin: (end) => ends.push(end), onAnswer }, few);
  thread.run(400);
  assert.is(ends.length, 2);
  assert.is(pages.at(-1), 'site_busy');
});

test('a challenge: on for each request; automatic while there are too many, and for a minute', () => {
  const pressed: boolean[] = [];
  const thread = new SimulatedThread(0.001, {
    challenge: (_, __, isPressed) => {
      pressed.push(isPressed);
      return false;
    },
  });
  const site = documentsOf({ challenge: { mode: 'auto', above: 100 } });
  const visits = (from: number, to: number, every: number): void => {
    for (let at = from; at < to; at += every) thread.arrive({ site: 'a', at, network: 'n' }, site);
  };
  visits(0, 2000, 50);
  visits(2000, 6000, 4);
  visits(6000, 50_000, 50);
  visits(70_000, 71_000, 50);
  thread.arrive({ site: 'b', at: 5000, network: 'n' });
  thread.run(71_000);
  assert.not(pressed.slice(0, 40).includes(true), '20 per second');
  assert.ok(pressed.slice(400, 1800).every(Boolean), 'from soon after the flood began, for a minute');
  assert.not(pressed.slice(-20).includes(true));
});

test('a request that waits for ten seconds gets 503', () => {
  const thread = new SimulatedThread(20);
  trickle(thread, 'b', 100, 0, 13_000);
  let refused = 0;
  for (let i = 0; i < 3000; i++)
    thread.arrive({
      site: 'a',
      at: 700,
      network: '192.0.2.1',
      onAnswer: (_, page) => (refused += Number(page !== null)),
    });
  thread.run(10_600);
  assert.is(refused, 0);
  assert.ok(thread.turns.waitingOf('a') > 1000);
  thread.run(13_000);
  assert.ok(refused > 1000, `${refused}`);
  assert.is(thread.turns.waitingOf('a'), 0);
});

test('however many sites are flooded, a request waits for their shares in two turns at most', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 5, max: 300 }), { minLength: 1, maxLength: 4 }), (clients) => {
      const thread = new SimulatedThread(SERVICE_MS);
      for (const [i, count] of clients.entries()) flood(thread, `flooded ${i}`, count, `192.0.2.${i}`);
      const overtaken = trickle(thread, 'small', 2, 50, 200);
      thread.run(200);
      const most = Math.max(...overtaken);
      assert.ok(most <= 2 * QUANTUM * clients.length, `${most} requests before one besides ${clients}`);
    }),
    { numRuns: 6 },
  );
});

test.run();
