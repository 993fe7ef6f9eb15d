/**
 * A generated world as Knot and NSD can load it. Both refuse records below a DNAME (RFC 6672 2.4),
 * and both know a nested zone in its parent only by the delegation that an operator writes there.
 * So what a world leaves to "is occluded" is taken out, and what it leaves to "is a zone of ours"
 * is written down as NS. The reference answers for the same, plain world.
 */
import { equalNames, isWithin, type Name } from '../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import type { World } from '../../reference/generate.ts';

export function peerWorld(world: World): World {
  const all = [...world.zones].map(([key, records]) => ({ key, apex: records[0].name, records }));
  const isBelow = (name: Name, above: Name): boolean => isWithin(name, above) && !equalNames(name, above);
  const dnames = all.flatMap(({ records }) => records.filter((record) => record.type === TYPE.DNAME));
  const belowDname = (name: Name): boolean => dnames.some((dname) => isBelow(name, dname.name));
  const zones = all.filter(({ apex }) => !belowDname(apex));
  const plain = new Map<string, readonly ResourceRecord[]>();
  for (const { key, apex, records } of zones) {
    const nested = zones.filter((other) => isBelow(other.apex, apex));
    const kept = records.filter(
      ({ name, type }) =>
        !belowDname(name) &&
        !nested.some((zone) => isBelow(name, zone.apex) || (equalNames(name, zone.apex) && type !== TYPE.DS)),
    );
    const delegations = nested.flatMap(({ records: child, apex: cut }) =>
      child.filter((record) => record.type === TYPE.NS && equalNames(record.name, cut)),
    );
    plain.set(key, [...kept, ...delegations]);
  }
  return { origin: world.origin, zones: plain };
}
