/**
 * Which hosts are sites, against the reference resolver: those that are answered with the
 * cluster's addresses. Worlds change step by step, and what a thread has kept of them must not
 * outlive the change.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equalNames, formatName, isWithin, type Name, nameId, parseName, ROOT } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { DEFAULTS } from '../../core/journal/fixture.ts';
import { buildQuestion, ourWorldDraft, questionDraft, type World } from '../../reference/generate.ts';
import { answeredZones } from '../../reference/proxy.ts';
import { resolve } from '../../reference/resolver.ts';
import { putChanges, WorldRows } from '../../reference/rows.ts';
import { WorldSteps } from '../../reference/steps.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { withSites } from './rig.ts';

const STEPS = depth({ quick: 60, moderate: 150, full: 1500 });
const WORLD_STEPS = 10;
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: 240 };
const CLUSTER = Uint8Array.of(192, 0, 2, 80);

/**
 * The apex of the domain in which a host is a site, as the nameserver answers; null: it is none.
 */
function siteIn(world: World, name: Name): Name | null {
  const { answer } = resolve(answeredZones(world.zones, world.proxies), { name, type: TYPE.A, class: CLASS_IN });
  const isOurs = answer.some(
    (record) => equalNames(record.name, name) && record.type === TYPE.A && Buffer.compare(record.rdata, CLUSTER) === 0,
  );
  if (!isOurs) return null;
  const apexes = [...world.zones.values()].map(([{ name: apex }]) => apex).filter((apex) => isWithin(name, apex));
  return apexes.sort((a, b) => b.length - a.length)[0];
}

/**
 * No browser sends such a host, and the edge takes none: a wildcard by its own name, a label that
 * holds more than letters.
 */
const isHost = (text: string): boolean => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(text);

function hostsOf(world: World, seed: number): Name[] {
  const owners = [...world.zones.values()].flat().map(({ name }) => name);
  const questions = fc
    .sample(questionDraft, { numRuns: 60, seed })
    .map((draft) => (world.zones.size === 0 ? undefined : buildQuestion(draft, world)?.name));
  const all = [...owners, ...questions].filter((name) => name !== undefined);
  const lower = all.map((name) => parseName(formatName(name)));
  return [...new Map(lower.map((name) => [nameId(name), name])).values()];
}

test(`${STEPS} steps: hosts are sites as the nameserver answers, seed ${SEED}`, () =>
  withSites(async ({ environment, journal, sites }) => {
    const random = new Random(SEED);
    let found = 0;
    let askedAt = 0;
    for (const [w, draft] of fc
      .sample(ourWorldDraft, { numRuns: Math.ceil(STEPS / WORLD_STEPS) * 4, seed: SEED })
      .entries()) {
      // Worlds may hold few sites: then more worlds follow.
      if (w * WORLD_STEPS >= STEPS && found > askedAt / 200) break;
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      const rows = new WorldRows(() => KEPT);
      // Hosts of all steps are asked in each: what was kept of them may be wrong by now.
      const hosts = new Map<string, Name>();
      for (let step = 0; step < WORLD_STEPS; step++) {
        const world = steps.next(false);
        await write(environment, journal, 'test', (d) => putChanges(d, rows.changeTo(world)));
        for (const name of hostsOf(world, SEED + step)) hosts.set(formatName(name).slice(0, -1), name);
        for (const [host, name] of hosts) {
          if (!isHost(host)) continue;
          const apex = siteIn(world, name);
          const site = sites.siteOf(host);
          const label = `seed ${SEED}, world ${w}, step ${step}: ${host}`;
          assert.is(site?.domain, apex === null ? undefined : formatName(apex).slice(0, -1), label);
          if (apex !== null) assert.is(Number(site?.domainId), rows.domains.get(nameId(apex))?.id, label);
          askedAt++;
          if (apex !== null) found++;
        }
      }
      await write(environment, journal, 'test', (d) =>
        putChanges(d, rows.changeTo({ origin: ROOT, zones: new Map() })),
      );
      for (const host of hosts.keys()) assert.is(sites.siteOf(host), undefined, 'nothing is left');
    }
    // Worlds differ by their seed: a hundredth is little, and enough to compare.
    assert.ok(found > askedAt / 200, `${found} of ${askedAt} were sites`);
  }));

test.run();
