/** A domain of 10,000 records: loading, scrolling and filtering. */
import type { Page } from 'playwright-core';
import { type Figure, medianOf, quantile, signIn, type World, withPage } from './figures.ts';

const RECORDS = 10_000;
const FRAMES = 180;
/** Pixels that each frame scrolls. */
const STEP = 400;
/** Milliseconds between two frames at 60 a second, with the resolution of the clock. */
const FRAME_GOAL = 17.5;
/** Milliseconds after which a response no longer seems immediate. */
const FILTER_GOAL = 100;

/** Milliseconds between frames while the page scrolls. */
const SCROLL = `new Promise((resolve) => {
  const times = [];
  let top = 0;
  let last = performance.now();
  const step = (now) => {
    times.push(now - last);
    last = now;
    top += ${STEP};
    scrollTo(0, top);
    if (times.length < ${FRAMES}) requestAnimationFrame(step);
    else resolve(times.slice(2));
  };
  requestAnimationFrame(step);
})`;

/** Milliseconds from an input into the filter until the frame after its rows are shown. */
const filterFor = (text: string): string => `new Promise((resolve) => {
  const input = document.querySelector('input[type=search]');
  const start = performance.now();
  const status = document.querySelector('.tools [role=status]');
  const before = status.textContent;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)});
  input.dispatchEvent(new Event('input', { bubbles: true }));
  const check = () => {
    if (status.textContent === before) requestAnimationFrame(check);
    else requestAnimationFrame(() => resolve(performance.now() - start));
  };
  requestAnimationFrame(check);
})`;

export async function measureRecords(world: World): Promise<Figure[]> {
  const { daemon, base, rounds } = world;
  const id = await daemon.api.createDomain('large.example.com');
  const post = Array.from({ length: RECORDS }, (_, i) => ({
    ...{ name: `h${i}`, type: 'A', content: `192.0.${(i >> 8) & 255}.${i & 255}` },
  }));
  await daemon.api.call('POST', `/api/v1/domains/${id}/records/batch`, { post });
  return withPage(world, async (page, context) => {
    await signIn(page, base);
    const open = async (): Promise<number> => {
      await page.goto(`${base}/domains`);
      const start = performance.now();
      await page.goto(`${base}/domains/${id}/records`);
      await page.getByText(`${RECORDS.toLocaleString('en')} records`, { exact: true }).waitFor();
      return performance.now() - start;
    };
    const loaded = await medianOf(rounds, open);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
    };
    const frames: number[] = [];
    let processor = 0;
    for (let round = 0; round < rounds; round++) {
      await page.evaluate('scrollTo(0, 0)');
      const before = await spent();
      frames.push(...((await page.evaluate(SCROLL)) as number[]));
      processor += (await spent()) - before;
    }
    const rows = await page.locator('tbody tr').count();
    await page.evaluate('scrollTo(0, 0)');
    const filtered = await medianOf(rounds, () => filterOnce(page));
    return [
      { name: '10,000 records, until all are loaded', value: loaded, unit: 'ms' },
      {
        name: 'time between frames while scrolling, median',
        value: quantile(frames, 0.5),
        unit: 'ms',
        goal: FRAME_GOAL,
      },
      { name: 'the same, 95th percentile', value: quantile(frames, 0.95), unit: 'ms', goal: FRAME_GOAL },
      { name: 'the same, longest', value: Math.max(...frames), unit: 'ms' },
      {
        ...{ name: 'processor time of the page for each of these frames', value: processor / (rounds * FRAMES) },
        ...{ unit: 'ms', goal: FRAME_GOAL },
      },
      { name: 'rows in the document', value: rows, unit: 'rows' },
      { name: 'filter, from the input to the frame with its rows', value: filtered, unit: 'ms', goal: FILTER_GOAL },
    ];
  });
}

async function filterOnce(page: Page): Promise<number> {
  const time = (await page.evaluate(filterFor('h99'))) as number;
  await page.getByRole('searchbox').fill('');
  await page.getByText(`${RECORDS.toLocaleString('en')} records`, { exact: true }).waitFor();
  return time;
}
