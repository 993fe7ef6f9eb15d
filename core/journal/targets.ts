/** The entry in the table of targets that a record makes: which name it leads to (see core/store/keys.ts). */
import { recordKeyParts, targetKey } from '../store/keys.ts';
import { RECORD_RDATA } from '../store/rows.ts';
import { type Name, nameAt } from '../wire/name.ts';
import { ADDITIONAL_TARGET, TYPE } from '../wire/types.ts';

/** Whether records of this type lead to a name: by a chain, or by the addresses that go with them. */
export function hasTarget(type: number): boolean {
  return targetOffset(type) >= 0;
}

/** Target and entry of a record of a type that has one, from its key and encoded value. */
export function targetOf(key: Uint8Array, value: Uint8Array): { target: Name; entry: Buffer } {
  const target = nameAt(value, RECORD_RDATA + targetOffset(recordKeyParts(key).type));
  return { target, entry: targetKey(target, key) };
}

function targetOffset(type: number): number {
  return type === TYPE.CNAME || type === TYPE.DNAME ? 0 : (ADDITIONAL_TARGET.get(type) ?? -1);
}
