import { KINDS, type Kind, type SharedObjects } from '../../../../../edge/http/tls/native/ownership.ts';

/** Addresses of the objects of a kind that are not freed. */
export function liveObjects({ pointers, kinds }: SharedObjects, kind: Kind): number[] {
  const kindOf = new Uint8Array(kinds);
  return [...new Float64Array(pointers)].filter((pointer, i) => pointer !== 0 && KINDS[kindOf[i]] === kind);
}

/** The kinds of all objects that are not freed. */
export const liveKinds = ({ pointers, kinds }: SharedObjects): Kind[] =>
  [...new Float64Array(pointers)].flatMap((pointer, i) => (pointer === 0 ? [] : [KINDS[new Uint8Array(kinds)[i]]]));
