/**
 * The slow, obvious reading of a steering document: which pool a client gets, and which of its
 * answers may be picked.
 */
import { contains, parsePrefix, unmapped } from '../../core/net/address/index.ts';
import type { SteeringContent, SteeringMatch, SteeringPool } from '../../core/store/rows.ts';

/** What is known of clients and answers. */
export interface SteeringWorld {
  /** Networks that do not contain each other, with country and continent. */
  readonly places: readonly { readonly network: string; readonly country: string; readonly continent: string }[];
  readonly region: string;
  /** Whether the answer of a pool with checks is down. */
  isDown(pool: SteeringPool, content: string): boolean;
}

interface Pick {
  readonly pool: string;
  /** Contents of answers with their weights. */
  readonly answers: ReadonlyMap<string, number>;
}

/** `address`: 4 or 16 bytes. */
export function pickFor({ pools, rules, fallback }: SteeringContent, world: SteeringWorld, address: Uint8Array): Pick {
  const matching = rules.filter(({ match }) => matches(match, world, address)).map(({ pool }) => pool);
  const order = [...matching, ...fallback].map((name) => pools.find((pool) => pool.name === name)!);
  const isUsable = (pool: SteeringPool, content: string): boolean =>
    pool.health === null || !world.isDown(pool, content);
  for (const pool of order) {
    const usable = pool.answers.filter(({ content, weight }) => weight > 0 && isUsable(pool, content));
    if (usable.length > 0) return { pool: pool.name, answers: weights(usable) };
  }
  const [first] = order;
  return { pool: first.name, answers: weights(first.answers.filter(({ weight }) => weight > 0)) };
}

function weights(answers: SteeringPool['answers']): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { content, weight } of answers) sums.set(content, (sums.get(content) ?? 0) + weight);
  return sums;
}

function matches({ country, continent, network, region }: SteeringMatch, world: SteeringWorld, address: Uint8Array) {
  const place = world.places.find((other) => contains(unmapped(parsePrefix(other.network)), address));
  return (
    (country.length === 0 || country.includes(place?.country ?? '')) &&
    (continent.length === 0 || continent.includes(place?.continent ?? '')) &&
    (network.length === 0 || network.some((text) => contains(unmapped(parsePrefix(text)), address))) &&
    (region.length === 0 || region.includes(world.region))
  );
}
