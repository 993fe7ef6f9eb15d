/**
 * A daemon whose clock a test moves: at no time it serves a signature that is not valid, and the
 * signatures of a large zone are renewed a few at a time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { MovedClock, whyNotMovedClock } from '../../support/moved-clock.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { clockOf, type DnssecView, dsOf, viewOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { whyNotResolver } from './resolvers.ts';
import { zoneText } from './rig.ts';
import { type Changes, Secondary } from './secondary.ts';
import { startValidator, type Validator } from './validator.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ZONE = 'signed.example.';
/** So many that the share of names due in a window is four deviations below the limit. */
const NAMES = depth({ quick: 3000, moderate: 3000, full: 5000 });
const HOURS = depth({ quick: 6, moderate: 8, full: 60 * 24 });
/** Seconds by which the clock is moved at a time. */
const STEP = 3 * HOUR;
/** Seconds in which a share of the signatures may be replaced. */
const WINDOW = 6 * HOUR;
const SHARE = 0.05;
/** Seconds that a signing clock is behind the time at most: its margin and its step. */
const LAG = 3 * HOUR;
/** Seconds that each signature is valid at least. */
const LEFT = 21 * DAY - LAG - STEP;
/** Simulated days between verifications by other programs. */
const VERIFICATION = 10 * DAY;

const test = suite('moved clock');
const clock = new MovedClock();
const secondary = new Secondary(ZONE);
let parent: ParentZone;
let daemon: Daemon;
let validator: Validator;
let path: string;

test.before(async () => {
  parent = await ParentZone.start({ child: ZONE, dsTtl: 60, now: () => clock.now() });
  daemon = await startDaemon({ ...parent.settings, ...clock.env, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const id = await daemon.api.createDomain('signed.example');
  const lines = Array.from({ length: NAMES }, (_, i) => `host${i} 300 IN A 192.0.2.${i % 256}\n`);
  await daemon.api.call(
    'PUT',
    `/api/v1/domains/${id}/zonefile`,
    `${lines.join('')}*.wild 300 IN A 192.0.2.1\n`,
    'text/dns',
  );
  path = `/api/v1/domains/${id}/dnssec`;
  const { body } = await daemon.api.call('PUT', path, { enabled: true });
  parent.setDs(dsOf(body as unknown as DnssecView));
  validator = await startValidator({ parent, zone: ZONE, ports: [daemon.dnsPort], env: clock.env });
});
test.after(async () => {
  await validator?.stop();
  await daemon?.close();
  await parent?.close();
});

async function until(condition: (view: DnssecView) => boolean, label: string): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(50)) {
    const view = await viewOf(daemon, path);
    if (condition(view)) return;
    if (performance.now() > deadline) throw new Error(`${label}: ${JSON.stringify(view)}`);
  }
}

const QUERIES = [
  ['host7', TYPE.A],
  ['x.wild', TYPE.A],
  ['nothing', TYPE.A],
  ['host8', TYPE.MX],
] as const;

async function checkAnswers(): Promise<void> {
  for (const [name, type] of QUERIES)
    assert.is(await validator.ask(parseName(`${name}.${ZONE}`), type), 'secure', name);
}

/** Answers follow within a moment. */
async function transfer(): Promise<Changes> {
  const { serial } = secondary;
  for (;;) {
    const changes = await secondary.refresh(daemon.dnsPort);
    if (secondary.serial !== serial) return changes;
    await sleep(20);
  }
}

async function verifyByPrograms(): Promise<void> {
  const file = join(temporaryFolder('verify'), 'zone');
  writeFileSync(file, zoneText(secondary.records));
  for (const [program, args] of [
    ['dnssec-verify', ['-z', '-o', ZONE, file]],
    ['ldns-verify-zone', [file]],
  ] as const) {
    const { code, output } = await runProgram(program, args, clock.envOfBind);
    assert.is(code, 0, `${program}: ${output}`);
  }
}

test('the zone is signed', async () => {
  await until(({ status }) => {
    // The keeper notes that all is served, and looks at the parent.
    clock.advance(MINUTE);
    return status === 'secure';
  }, 'secure');
  await secondary.refresh(daemon.dnsPort);
  assert.equal(secondary.faults(clock.now(), LEFT), []);
  await checkAnswers();
});

test(`${HOURS} hours: each signature is valid, and at most ${SHARE * 100} % are replaced in 6 hours`, async () => {
  /** Replaced signatures of each step. */
  const replaced: number[] = [];
  for (let passed = STEP; passed <= HOURS * HOUR; passed += STEP) {
    clock.advance(STEP);
    const label = `${passed / HOUR} hours`;
    await checkAnswers();
    await until((view) => clockOf(view) > clock.now() - LAG, label);
    const changes = await transfer();
    assert.is(changes.isIncremental, true, label);
    replaced.push(changes.replaced);
    assert.equal(secondary.faults(clock.now(), LEFT), [], label);
    await checkAnswers();
    const recent = replaced.slice(-WINDOW / STEP).reduce((sum, count) => sum + count, 0);
    const most = Math.floor(secondary.signatures * SHARE);
    assert.ok(recent <= most, `${label}: ${recent} signatures, ${most} are allowed`);
    if (passed % VERIFICATION === 0) await verifyByPrograms();
  }
  const fresh = new Secondary(ZONE);
  await fresh.refresh(daemon.dnsPort);
  assert.equal(secondary.text, fresh.text);
  await verifyByPrograms();
});

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('dnssec-verify', 'ldns-verify-zone');
if (missing === null) test.run();
else console.log(`skipped: moved clock, ${missing}`);
