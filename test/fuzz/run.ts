/**
 * Fuzzes parsers, and stores new inputs and faults in test/corpus.
 *
 *     npm run fuzz                    every target, 20 seconds each
 *     npm run fuzz -- hpack 600       one target for ten minutes
 */
import { SEED } from '../support/seed.ts';
import { fuzzTarget } from './supervise.ts';
import { TARGETS } from './targets/index.ts';

const [wanted, seconds = '20'] = process.argv.slice(2);
const targets = TARGETS.filter(({ name }) => wanted === undefined || name === wanted);
if (targets.length === 0) {
  console.error(`No target ${wanted}. Targets: ${TARGETS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
let faults = 0;
for (const { name } of targets) {
  const { runs, added, fault } = await fuzzTarget(name, Number(seconds) * 1000, SEED);
  console.log(`${name}: ${runs} runs, ${added} inputs added`);
  if (fault === null) continue;
  faults++;
  console.log(`  fault, test/corpus/${name}.jsonl, ${fault.input}:\n  ${fault.error.replaceAll('\n', '\n  ')}`);
}
console.log(`seed ${SEED}`);
process.exit(faults > 0 ? 1 : 0);
