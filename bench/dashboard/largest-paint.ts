/** When the largest part of a page is painted, and what moves: cold cache, slow network. */
import { ADMIN_PASSWORD } from '../../test/support/daemon.ts';
import { type Figure, quantile, type World, withPage } from './figures.ts';

/** As a phone with a weak signal. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
/** Milliseconds. */
const GOAL = 1000;
/** Good by https://web.dev/articles/cls; a thousandth is the unit. */
const SHIFT_GOAL = 100;
const RECORDS = 100;

interface Paint {
  /** Milliseconds from the request. */
  largest: number;
  shift: number;
}

/** Runs in the page. */
const OBSERVE = `
  window.paint = { largest: 0, shift: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.paint.largest = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.paint.shift += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
`;

export async function measureLargestPaint(world: World): Promise<Figure[]> {
  const { api } = world.daemon;
  const { domain } = (await api.call('POST', '/api/v1/domains', { domain: 'painted.example' })).body;
  const { id } = domain as { id: number };
  const post = Array.from({ length: RECORDS }, (_, i) => ({ name: `host-${i}`, type: 'A', content: '192.0.2.1' }));
  await api.call('POST', `/api/v1/domains/${id}/records/batch`, { post });
  const pages = {
    'sign-in': '/sign-in',
    overview: '/overview',
    domains: '/domains',
    [`${RECORDS} records`]: `/domains/${id}/records`,
    statistics: '/statistics',
  };
  const figures: Figure[] = [];
  for (const [name, path] of Object.entries(pages)) {
    const paints: Paint[] = [];
    for (let round = 0; round < world.rounds; round++) paints.push(await paintOf(world, path));
    const median = (read: (paint: Paint) => number): number => quantile(paints.map(read), 0.5);
    figures.push(
      {
        name: `${name}: largest contentful paint at 1.6 Mbit/s and 150 ms`,
        value: median(({ largest }) => largest),
        unit: 'ms',
        goal: GOAL,
      },
      { name: `${name}: layout shift`, value: 1000 * median(({ shift }) => shift), unit: '‰', goal: SHIFT_GOAL },
    );
  }
  return figures;
}

const paintOf = (world: World, path: string): Promise<Paint> =>
  withPage(world, async (page, context) => {
    if (path !== '/sign-in') {
      const data = { login: 'admin', password: ADMIN_PASSWORD };
      await context.request.post(`${world.base}/api/v1/session`, { data, headers: { origin: world.base } });
    }
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await page.addInitScript(OBSERVE);
    await page.goto(world.base + path, { waitUntil: 'networkidle' });
    return page.evaluate<Paint>('window.paint');
  });
