/**
 * Memory of a page that is left open for an hour while others make 100 changes a minute. The clock
 * of the page runs 60 times as fast, so the hour takes a minute, with as many changes and reads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { type Figure, signIn, type World, withPage } from './figures.ts';

const SPEED = 60;
const CHANGES = 6000;
const QUICK_CHANGES = 600;
/** Before the first measurement: code that is used for the first time is compiled and kept. */
const WARM_UP = 300;
/** Changes in flight. */
const GROUP = 10;
/** Milliseconds of a group: 100 changes in a minute of the page. */
const GROUP_MS = 100;
/** Milliseconds after the last change, in which the page reads it. */
const SETTLE_MS = 1000;
const RECORDS = 20;
/** MB. */
const GOAL = 20;

/** Timers and clocks of the page. */
const FASTER = `{
  const { setTimeout: start, setInterval: repeat } = window;
  const now = performance.now.bind(performance);
  window.setTimeout = (run, ms = 0, ...args) => start(run, ms / ${SPEED}, ...args);
  window.setInterval = (run, ms = 0, ...args) => repeat(run, ms / ${SPEED}, ...args);
  performance.now = () => now() * ${SPEED};
}`;

export async function measureLeftOpen(world: World): Promise<Figure[]> {
  const { daemon, isQuick } = world;
  const id = await daemon.api.createDomain('busy.example.com');
  const path = `/api/v1/domains/${id}`;
  const records: number[] = [];
  for (let i = 0; i < RECORDS; i++) {
    const json = { name: `h${i}`, type: 'A', content: '192.0.2.1' };
    const { body } = await daemon.api.call('POST', `${path}/records`, json);
    records.push((body.record as { id: number }).id);
  }
  let changes = 0;
  const change = async (): Promise<void> => {
    const n = changes++;
    const i = n % RECORDS;
    const json = { name: `h${i}`, type: 'A', content: `198.51.100.${Math.floor(n / RECORDS) % 250}` };
    await daemon.api.call('PUT', `${path}/records/${records[i]}`, json);
  };
  const makeChanges = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += GROUP)
      await Promise.all([sleep(GROUP_MS), ...Array.from({ length: GROUP }, change)]);
    await sleep(SETTLE_MS);
  };
  const figures: Figure[] = [];
  for (const address of ['/overview', '/domains', `/domains/${id}/records`, `/domains/${id}/history`, '/audit'])
    figures.push({
      name: `growth of ${address.replace(String(id), 'ID')} in an hour with 6,000 changes`,
      value: await growthOf(world, address, makeChanges, isQuick ? QUICK_CHANGES : CHANGES),
      unit: 'MB',
      goal: GOAL,
    });
  return figures;
}

function growthOf(
  world: World,
  address: string,
  makeChanges: (count: number) => Promise<void>,
  count: number,
): Promise<number> {
  return withPage(world, async (page, context) => {
    await page.addInitScript(FASTER);
    await signIn(page, world.base);
    await page.goto(world.base + address);
    let reads = 0;
    page.on('response', (response) => {
      if (response.url().includes('/api/v1/')) reads++;
    });
    const session = await context.newCDPSession(page);
    await session.send('HeapProfiler.enable');
    await session.send('Performance.enable');
    await makeChanges(WARM_UP);
    const before = await heapOf(session);
    reads = 0;
    await makeChanges(count);
    const after = await heapOf(session);
    process.stderr.write(`  ${address}: ${before.toFixed(2)} to ${after.toFixed(2)} MB, ${reads} reads\n`);
    return Math.max(0, after - before);
  });
}

/** MB that are in use after a full collection. */
async function heapOf(session: CDPSession): Promise<number> {
  for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
}
