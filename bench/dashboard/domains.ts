/** An account with 100,000 domains: searches, by API and in the browser, and other orders. */
import type { Page } from 'playwright-core';
import { type Figure, quantile, signIn, type World, withPage } from './figures.ts';

const DOMAINS = 100_000;
const QUICK_DOMAINS = 5000;
/** Milliseconds after which a response no longer seems immediate. */
const GOAL = 100;
/** Requests in flight while the domains are created. */
const CONCURRENT = 32;
/** Different searches of each kind, each round. */
const SEARCHES = 20;

const domainAt = (i: number): string => `d${String(i).padStart(6, '0')}.example`;

export async function measureDomains(world: World): Promise<Figure[]> {
  const { daemon, base, rounds, isQuick } = world;
  const count = isQuick ? QUICK_DOMAINS : DOMAINS;
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < count) await daemon.api.call('POST', '/api/v1/domains', { domain: domainAt(next++) });
  };
  await Promise.all(Array.from({ length: CONCURRENT }, create));
  const title = `${count.toLocaleString('en')} domains`;
  const wanted = Array.from({ length: SEARCHES * rounds }, (_, i) =>
    domainAt(Math.floor((count / SEARCHES / rounds) * i)),
  );

  const timeOf = async (query: string): Promise<number> => {
    const start = performance.now();
    await daemon.api.call('GET', `/api/v1/domains?${query}`);
    return performance.now() - start;
  };
  const times = async (queries: readonly string[]): Promise<number[]> => {
    const list: number[] = [];
    for (const query of queries) list.push(await timeOf(query));
    return list;
  };
  // After a restart nothing is in memory.
  await daemon.stop();
  await daemon.start();
  const first = await timeOf('q=nowhere');
  const found = await times(wanted.map((name) => `q=${name.slice(0, 7)}`));
  const all = await times(wanted.map((_, i) => `q=.exam&limit=${(i % 100) + 1}`));
  const sorted = await times(Array.from({ length: rounds * 2 }, () => 'sort=-updated_at&limit=100'));

  const typed = await withPage(world, async (page) => {
    await signIn(page, base);
    // Other parts have added domains of their own.
    await page.getByText(/^[0-9,]+ domains$/).waitFor();
    const list: number[] = [];
    for (const name of wanted) list.push(await typeInto(page, name));
    return list;
  });
  return [
    { name: `${title}, first search after a start, by API`, value: first, unit: 'ms' },
    ...both(`${title}, search that finds one, by API`, found),
    ...both(`${title}, search that finds all, by API`, all),
    { name: `${title}, page of 100 in the order of changes, by API, median`, value: quantile(sorted, 0.5), unit: 'ms' },
    ...both(`${title}, from the last letter to the frame with the result`, typed),
  ];
}

const both = (name: string, values: readonly number[]): Figure[] => [
  { name: `${name}, median`, value: quantile(values, 0.5), unit: 'ms', goal: GOAL },
  { name: 'the same, 95th percentile', value: quantile(values, 0.95), unit: 'ms' },
];

/** Milliseconds from the input until the frame that shows the only match. */
function typeInto(page: Page, name: string): Promise<number> {
  const script = `new Promise((resolve) => {
    const input = document.querySelector('input[type=search]');
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const start = performance.now();
    set.call(input, ${JSON.stringify(name.slice(0, 7))});
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const check = () => {
      const links = document.querySelectorAll('table.domains tbody th a');
      const isShown = links.length === 1 && links[0].textContent.trim() === ${JSON.stringify(name)};
      requestAnimationFrame(isShown ? () => resolve(performance.now() - start) : check);
    };
    requestAnimationFrame(check);
  })`;
  return page.evaluate(script) as Promise<number>;
}
