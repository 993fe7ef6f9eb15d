/** When the first page can be used, with a cold cache and a processor that is four times slower. */
import { type Figure, medianOf, slowDown, type World, withPage } from './figures.ts';

const SLOWDOWN = 4;
/** Milliseconds. */
const GOAL = 1000;

export async function measureFirstPage(world: World): Promise<Figure[]> {
  const value = await medianOf(world.rounds, () =>
    withPage(world, async (page, context) => {
      await slowDown(page, context, SLOWDOWN);
      const start = performance.now();
      await page.goto(`${world.base}/`, { waitUntil: 'commit' });
      await page.getByLabel('Username or e-mail').fill('a');
      return performance.now() - start;
    }),
  );
  return [{ name: `first page, until it takes input, at ${SLOWDOWN} × CPU slowdown`, value, unit: 'ms', goal: GOAL }];
}
