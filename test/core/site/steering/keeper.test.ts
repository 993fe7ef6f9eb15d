/** Checks of steered answers: which are due, when states change, and what DNS threads read. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../../core/base/metrics/index.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { SteeringKeeper } from '../../../../core/site/steering/keeper.ts';
import { type Domain, domains, type Steering, type SteeringHealth, steerings } from '../../../../core/store/rows.ts';
import { CheckedAnswers, checkId, shareCheckedAnswers } from '../../../../core/zone/steering/checked-answers.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { embedded, newDomain, type Store, withStore } from '../../journal/fixture.ts';
import { CHECK, pool } from '../../zone/steering/rig.ts';

interface Rig extends Store {
  readonly domain: Domain;
  readonly keeper: SteeringKeeper;
  readonly lines: string[];
  /** Targets that fail. */
  readonly failing: Set<string>;
  readonly probed: string[];
  readonly metrics: Registry;
  /** Whether DNS threads see the answer as down. */
  isDown(content: string, health?: SteeringHealth): boolean;
  /** Lets an interval pass, and the checks run. */
  round(): Promise<void>;
  setPools(pools: Steering['content']['pools']): Promise<void>;
}

const withKeeper = (use: (rig: Rig) => Promise<void>): Promise<void> =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const domain = newDomain('site.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    const shared = shareCheckedAnswers();
    const checked = new CheckedAnswers(shared);
    const metrics = new Registry();
    const lines: string[] = [];
    const failing = new Set<string>();
    const probed: string[] = [];
    let now = 0;
    let revision = 0;
    const keeper = new SteeringKeeper({
      environment,
      journal,
      shared,
      metrics,
      tasks: singleNodeTasks(),
      log: createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) }),
      now: () => now,
      async probe({ target, host }) {
        probed.push(`${target} ${host}`);
        return failing.has(target) ? 'It refused the connection.' : null;
      },
    });
    const rig: Rig = {
      ...store,
      domain,
      keeper,
      lines,
      failing,
      probed,
      metrics,
      isDown: (content, health = CHECK) => checked.isDown(checkId(domain.id, domain.apex, 1, content, health), 0),
      async round() {
        keeper.tick();
        now += 11_000;
        keeper.tick();
        await keeper.settled();
      },
      async setPools(pools) {
        const content = { ttl: 60, pools, rules: [], fallback: [pools[0].name] };
        const actor = { accountId: 1, username: 'u', tokenName: null };
        const row = {
          domainId: domain.id,
          name: domain.apex,
          type: 1,
          revision: ++revision,
          updatedAt: 0,
          actor,
          content,
        };
        await write(environment, journal, 'test', (draft) => draft.put(steerings, row));
      },
    };
    try {
      await use(rig);
    } finally {
      await keeper.stop();
    }
  });

test('an answer is down after `fall` failures in a row, and up again after `rise` successes', () =>
  withKeeper(async ({ setPools, round, failing, isDown, lines, probed, metrics, journal }) => {
    await setPools([pool('a', ['192.0.2.1', '192.0.2.2'], CHECK), pool('b', ['192.0.2.3'])]);
    await round();
    assert.equal(probed.sort(), ['192.0.2.1 site.test', '192.0.2.2 site.test'], 'a pool without health is not checked');
    const { head } = journal;
    failing.add('192.0.2.1');
    for (const expected of [false, false, true]) {
      await round();
      assert.is(isDown('192.0.2.1'), expected);
    }
    assert.not(isDown('192.0.2.2'));
    assert.match(metrics.expose(PROMETHEUS), /waypost_steered_answers\{state="down"\} 1/);
    failing.clear();
    for (const expected of [true, false]) {
      await round();
      assert.is(isDown('192.0.2.1'), expected);
    }
    assert.is(journal.head, head, 'nothing is written');
    assert.equal(
      lines.map((line) => /steered answer is (down|up again)/.exec(line)?.[1]),
      ['down', 'up again'],
    );
  }));

test('a changed check has a state of its own; an answer that is removed is no longer down', () =>
  withKeeper(async ({ setPools, round, failing, isDown }) => {
    failing.add('192.0.2.1');
    const check = { ...CHECK, fall: 1 };
    await setPools([pool('a', ['192.0.2.1', '192.0.2.2'], check)]);
    await round();
    assert.ok(isDown('192.0.2.1', check));
    const other = { ...CHECK, fall: 2 };
    await setPools([pool('a', ['192.0.2.1', '192.0.2.2'], other)]);
    await round();
    assert.equal([isDown('192.0.2.1', check), isDown('192.0.2.1', other)], [false, false]);
    await round();
    assert.ok(isDown('192.0.2.1', other));
    await setPools([pool('a', ['192.0.2.2'], other)]);
    await round();
    assert.not(isDown('192.0.2.1', other));
  }));

test('answers and checks are counted for each account, without those of one domain', () =>
  withKeeper(async ({ keeper, setPools, domain, environment, journal }) => {
    const [first, second] = ['192.0.2.1', '192.0.2.2'];
    await setPools([pool('a', [first, second], CHECK), pool('b', ['192.0.2.3'])]);
    assert.equal(keeper.usageOf(domain.accountId, 0), { answers: 3, checked: 2 });
    assert.equal(keeper.usageOf(domain.accountId, domain.id), { answers: 0, checked: 0 });
    assert.equal(keeper.usageOf(domain.accountId + 1, 0), { answers: 0, checked: 0 });
    await setPools([pool('a', [first])]);
    assert.equal(keeper.usageOf(domain.accountId, 0), { answers: 1, checked: 0 });
    await write(environment, journal, 'test', (draft) =>
      draft.put(domains, { ...domain, accountId: domain.accountId + 1 }),
    );
    assert.equal(keeper.usageOf(domain.accountId, 0), { answers: 0, checked: 0 }, 'the domain has moved');
    assert.equal(keeper.usageOf(domain.accountId + 1, 0), { answers: 1, checked: 0 });
  }));

test.run();
