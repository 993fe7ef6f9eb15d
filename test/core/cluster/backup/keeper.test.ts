/** When the keeper makes backups, copies changes, and tries again. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../../core/base/errors.ts';
import { createLogger } from '../../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../../core/base/metrics/index.ts';
import { Tasks } from '../../../../core/base/tasks.ts';
import type { JobResult } from '../../../../core/cluster/backup/job.ts';
import { BackupKeeper } from '../../../../core/cluster/backup/keeper.ts';
import { backupMetrics } from '../../../../core/cluster/backup/metrics.ts';
import { type Backup, secretKeysOf } from '../../../../core/cluster/backup/names.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { VirtualClock } from '../../../support/tasks.ts';

const MINUTE = 60_000;

/** A keeper with a virtual clock, and a target that is a list. */
class Rig {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  head = 10;
  isFirst = true;
  fails = false;
  refusal: string | null = null;
  /** The journal reaches back. */
  reaches = true;
  readonly backups: Backup[] = [];
  readonly runs: string[] = [];
  readonly lines: string[] = [];
  readonly failures: string[] = [];
  isClockTrusted = true;
  secretKey = 'new';
  isResealed = true;
  readonly keeper: BackupKeeper;

  constructor(settings: Record<string, string> = {}) {
    const env = { WAYPOST_BACKUP_FOLDER: '/never', WAYPOST_BACKUP_INTERVAL: '3600', ...settings };
    const ownership = { isFirst: () => this.isFirst, isFirstOfRegion: () => false, rank: () => 1 };
    this.keeper = new BackupKeeper({
      tasks: new Tasks({ metrics: new Registry(), clock: this.clock, ownership }),
      settings: loadConfig({ env }).backup,
      log: createLogger({ level: 'debug', format: 'text', write: (line) => void this.lines.push(line) }),
      isClockTrusted: () => this.isClockTrusted,
      head: () => this.head,
      secretKeys: { ids: ['new', 'old'], isResealed: () => this.isResealed },
      run: (kind) => this.#run(kind),
      observer: { made: () => {}, failed: (kind) => this.failures.push(kind) },
      now: () => this.clock.date(),
    });
  }

  async #run(kind: string): Promise<JobResult> {
    this.runs.push(kind);
    if (this.fails) throw new Error('the disk is full');
    if (this.refusal !== null) throw new StateError('other_history', this.refusal);
    const name = `b${this.backups.length}`;
    const made = {
      name,
      made: new Date(this.clock.date()).toISOString(),
      sequence: this.head,
      size: 7,
      took: 1,
      secretKeyId: this.secretKey,
    } as Backup;
    if (kind === 'backup') this.backups.push(made);
    return {
      ...{ latest: this.backups.at(-1) ?? null, count: this.backups.length, size: 7, position: this.head },
      made: kind === 'backup' ? made : null,
      secretKeys: Object.fromEntries(this.backups.flatMap(secretKeysOf).map((id) => [id, 1])),
      deleted: null,
      copied: kind === 'changes' && this.reaches ? { position: { sequence: this.head, hash: '' }, segments: 1 } : null,
    };
  }

  /** Sets the date, and resolves with what runs within three seconds. */
  after(milliseconds: number): Promise<string[]> {
    this.clock.jump(milliseconds);
    return this.within(3000);
  }

  async within(milliseconds: number): Promise<string[]> {
    this.runs.length = 0;
    await this.clock.advance(milliseconds);
    return [...this.runs];
  }
}

async function withRig(work: (rig: Rig) => Promise<void>, settings?: Record<string, string>): Promise<void> {
  const rig = new Rig(settings);
  rig.keeper.start();
  await work(rig);
  await rig.keeper.stop();
}

test('after a rotation of the secret key, a backup follows when everything is encrypted with the new key', () =>
  withRig(async (rig) => {
    rig.secretKey = 'old';
    rig.isResealed = false;
    assert.equal(await rig.after(0), ['look', 'backup', 'changes']);
    assert.equal(await rig.after(MINUTE), [], 'secrets are still being encrypted');
    rig.secretKey = 'new';
    rig.isResealed = true;
    assert.equal(await rig.after(MINUTE), ['backup']);
    assert.match(rig.lines.join(''), /older backups need earlier secret keys; keep the exports of these keys=.*old/);
    assert.equal(await rig.after(MINUTE), []);
  }));

test('backups follow one another by the interval, and changes are copied in between', () =>
  withRig(async (rig) => {
    assert.equal(await rig.after(0), ['look', 'backup', 'changes']);
    assert.equal(await rig.after(MINUTE), []);
    rig.head++;
    assert.equal(await rig.after(MINUTE), [], 'backup.journal_interval has not passed');
    assert.equal(await rig.after(3 * MINUTE), ['changes']);
    assert.equal(await rig.after(6 * MINUTE), [], 'nothing has changed');
    assert.equal(await rig.after(49 * MINUTE), ['look', 'backup', 'changes']);
    assert.match(rig.lines.join(''), 'backup made');
    assert.equal(rig.keeper.warnings(), []);
  }));

test('a restart makes no backup before its time', () =>
  withRig(
    async (rig) => {
      rig.backups.push({ name: 'b', made: new Date(rig.clock.date() - 10 * MINUTE).toISOString() } as Backup);
      assert.equal(await rig.after(0), ['look']);
      assert.equal(await rig.after(50 * MINUTE), ['look', 'backup']);
    },
    { WAYPOST_BACKUP_JOURNAL_INTERVAL: '0' },
  ));

test('nothing is made or deleted while the clock of the node is not trusted', () =>
  withRig(async (rig) => {
    rig.isClockTrusted = false;
    assert.equal(await rig.after(500 * 24 * 60 * MINUTE), []);
    rig.isClockTrusted = true;
    assert.equal(await rig.after(-500 * 24 * 60 * MINUTE), ['look', 'backup', 'changes']);
  }));

test('only the first node makes backups, or every node if configured', () =>
  withRig(async (rig) => {
    rig.isFirst = false;
    assert.equal(await rig.after(0), ['look']);
    assert.equal(await rig.after(90 * MINUTE), ['look']);
    rig.isFirst = true;
    assert.equal(await rig.after(0), ['backup', 'changes']);
  }).then(() =>
    withRig(
      async (rig) => {
        rig.isFirst = false;
        assert.equal(await rig.after(0), ['look', 'backup', 'changes']);
      },
      { WAYPOST_BACKUP_EVERY_NODE: 'true' },
    ),
  ));

test('a failure is retried with growing delays, logged, counted and reported by /readyz', () =>
  withRig(async (rig) => {
    rig.fails = true;
    assert.equal(await rig.within(1000), ['look']);
    assert.equal(rig.failures, ['backup']);
    assert.equal(await rig.within(59_000), []);
    assert.equal(await rig.within(1000), ['look']);
    assert.equal(await rig.within(MINUTE), []);
    assert.equal(await rig.within(MINUTE), ['look']);
    assert.equal(rig.keeper.warnings(), ['there is no backup: the disk is full']);
    rig.fails = false;
    assert.equal(await rig.within(4 * MINUTE + 1000), ['look', 'backup', 'changes']);
    assert.equal(rig.keeper.warnings(), []);
    assert.match(rig.lines.join(''), 'backups work again');
    rig.fails = true;
    await rig.after(60 * MINUTE);
    await rig.after(120 * MINUTE);
    assert.match(rig.keeper.warnings()[0], /^the latest backup is of 2026-01-01T.*: the disk is full$/);
  }));

test('backups that are found to be of another history do not count, and /readyz says so', () =>
  withRig(async (rig) => {
    await rig.after(0);
    assert.is(rig.keeper.state?.count, 1);
    rig.refusal = 'The backups are of another installation.';
    rig.head++;
    await rig.after(6 * MINUTE);
    assert.is(rig.keeper.state, null);
    assert.equal([rig.keeper.warnings(), rig.keeper.error], [[`there is no backup: ${rig.refusal}`], rig.refusal]);
    rig.refusal = null;
    assert.equal(await rig.within(MINUTE + 2000), ['look', 'changes']);
    assert.equal([rig.keeper.warnings(), rig.keeper.error], [[], null]);
  }));

test('a journal that does not reach back leads to a backup at once', () =>
  withRig(async (rig) => {
    await rig.after(0);
    rig.reaches = false;
    rig.head++;
    const runs = await rig.after(6 * MINUTE);
    assert.equal(runs.slice(0, 2), ['changes', 'backup']);
    rig.reaches = true;
    assert.match(rig.lines.join(''), 'does not reach back');
  }));

test('the time of the latest backup is 0 while none is known, and absent where none are made', () => {
  for (const [env, expected] of [
    [{ WAYPOST_BACKUP_FOLDER: '/never' }, '0'],
    [{}, undefined],
  ] as const) {
    const metrics = new Registry();
    backupMetrics(metrics, () => null, loadConfig({ env }).backup, []);
    const text = metrics.expose(PROMETHEUS);
    assert.is(/^waypost_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1], expected);
  }
});

test.run();
