/**
 * The scenarios, one after the other, in a network of this process. Arguments: a folder, and a
 * pattern of scenarios' names. Needs root.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SEED } from '../../../support/seed.ts';
import { Load } from './load.ts';
import { type Machines, openMachines, startMachines } from './machines.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** Characters of a node's output that a failure shows. */
const SHOWN = 3000;

const [folder, pattern = ''] = process.argv.slice(2);
const network = openMachines();
const wanted = new RegExp(pattern, 'i');
let rounds = 0;

class Stage {
  readonly machines: Machines;
  readonly load: Load;

  private constructor(machines: Machines) {
    this.machines = machines;
    this.load = new Load(machines);
  }

  static async set(): Promise<Stage> {
    const own = join(folder, String(++rounds));
    mkdirSync(own);
    for (const { host } of network.nodes) host.link('up');
    const stage = new Stage(await startMachines(network, own));
    await stage.load.prepare();
    return stage;
  }

  async play(scenario: Scenario): Promise<void> {
    const { load, machines } = this;
    load.start();
    try {
      await scenario.run(machines, load);
      load.check();
      await load.progress(AFTER);
    } finally {
      await load.stop();
    }
    await load.settle();
  }

  get outputs(): string {
    return this.machines.nodes.map(({ name, output }) => `${name}: ${output.slice(-SHOWN)}`).join('\n');
  }
}

/** Changes that are acknowledged before the load stops. */
const AFTER = 20;

let [passed, failed] = [0, 0];
let stage: Stage | null = null;
for (const scenario of SCENARIOS.filter(({ name }) => wanted.test(name))) {
  const begun = performance.now();
  const say = (outcome: string): void =>
    console.log(`${outcome} ${scenario.name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  try {
    stage ??= await Stage.set();
    const lacks = scenario.lacks?.(stage.machines) ?? null;
    if (lacks === null) {
      await stage.play(scenario);
      passed++;
    }
    say(lacks === null ? 'ok' : `left out, ${lacks}:`);
  } catch (error) {
    failed++;
    say('FAILED');
    console.log((error as Error).stack, `\n${stage?.outputs ?? ''}`);
    // What it has left behind is not the next one's to bear.
    await stage?.machines.close();
    stage = null;
  }
}
if (stage !== null) console.log(stage.load.summary);
await stage?.machines.close();
console.log(`${passed} passed, ${failed} failed\nWAYPOST_SEED=${SEED}`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
