/**
 * RRsets that follow other names: what stands for an ALIAS, and automatic hints of SVCB and HTTPS.
 * Compiled nodes have what is served of them. The rows may be newer, since the addresses of a
 * target change in pieces, and signatures cover the answers of the node.
 */
import type { Name } from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';
import { setsOfNode } from '../../store/node-signatures.ts';
import { aliasedTypes } from './aliased.ts';
import { hasAutoHints, isAutomatic } from './hinted.ts';
import type { ZoneRRset } from './view.ts';

/** Whether RRsets of a name follow other names. */
export function followsNames(sets: readonly ZoneRRset[]): boolean {
  return aliasedTypes(sets).length > 0 || hasAutoHints(sets);
}

/** Replaces the RRsets that follow other names by those of the node. */
export function withSetsOfNode(node: Buffer, name: Name, sets: readonly ZoneRRset[]): RRset[] {
  const types = [...aliasedTypes(sets), ...sets.filter(isAutomatic).map(({ type }) => type)];
  const own = sets.filter(({ type }) => !types.includes(type));
  return [...own, ...setsOfNode(node, name, types)].sort((a, b) => a.type - b.type);
}
