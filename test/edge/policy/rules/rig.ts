/** A site with rules in front of a cache and an origin that the test answers. */
import type { Rule } from '../../../../core/site/rules/index.ts';
import { Countries } from '../../../../edge/policy/rules/countries.ts';
import { RuleCounting, type RuleCounts } from '../../../../edge/policy/rules/counts.ts';
import { createRateMemory, RATE_SECRET_BYTES } from '../../../../edge/policy/rules/rate-memory.ts';
import { RateTable } from '../../../../edge/policy/rules/rate-table.ts';
import { SiteDocuments } from '../../../../edge/sites/site-documents.ts';
import { type CacheRig, type CacheRigOptions, cacheRig, SITE } from '../../proxy/cache-rig.ts';
import type { FakeExchange, FakeRequest } from '../../proxy/fake-exchange.ts';
import { NO_POOLS } from '../../sites/rig.ts';

export interface RulesRig extends CacheRig {
  get(path: string, more?: FakeRequest): Promise<FakeExchange>;
  /** The counts since the last call. */
  flush(): RuleCounts[];
}

/** Milliseconds since 1970, for rules. */
export const time = { now: 1_700_000_000_000 };

export async function withRules(
  rules: readonly Rule[],
  use: (rig: RulesRig) => Promise<void>,
  options: CacheRigOptions = {},
): Promise<void> {
  const about = { domainId: 7, updatedAt: 0 };
  const origins = [{ label: 'beta', path: '/no', pool: [{ origin: 'beta.example.net', port: 80 }] }];
  const documents = new SiteDocuments(
    [
      { ...about, kind: 'rules', revision: 3, content: { rules } },
      { ...about, kind: 'origins', revision: 1, content: { origins } },
    ],
    { id: 7, name: 'example.com' },
    { pools: NO_POOLS },
    null,
  );
  const counts: RuleCounts[] = [];
  const counting = new RuleCounting((sent) => counts.push(...sent));
  const tools = {
    countries: new Countries(),
    rates: new RateTable(createRateMemory(Buffer.alloc(RATE_SECRET_BYTES, 7), false)),
    counting,
    logins: { keys: [Buffer.alloc(32, 9)], openSecret: (_: string, sealed: string) => `opened ${sealed}` },
    clock: () => time.now,
  };
  const rig = await cacheRig({
    onRequest: (pending) =>
      pending.answer(200, ['content-type', 'text/plain', 'x-old', '1', 'x-path', pending.request.path], 'hello'),
    ...options,
    site: { ...SITE, documents },
    rules: tools,
  });
  try {
    const get = (path: string, more?: FakeRequest) => rig.visit({ path, ...more });
    const flush = () => {
      counting.flush();
      return counts.splice(0);
    };
    await use(Object.assign(rig, { get, flush }));
  } finally {
    await rig.close();
  }
}
