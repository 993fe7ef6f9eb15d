/** Globals to delete, so that each engine has the globals of Rhino 1.7.15 on a phone. */
import { ENGINE_INTERNALS, JAVA_BRIDGES, MISSING_GLOBALS, MISSING_STATICS } from '../audit/background/engine.ts';

const words = (text: string): readonly string[] => text.split(/\s+/);
const of = (object: string, names: string): readonly string[] => words(names).map((name) => `${object}.${name}`);

/** Names in QuickJS that Rhino 1.7.15 does not have. */
export const QUICKJS_REMOVED: readonly string[] = [
  ...MISSING_STATICS,
  ...of('Array.prototype', 'findLast findLastIndex toReversed toSorted toSpliced with'),
  ...of('ArrayBuffer.prototype', 'detached maxByteLength resizable resize transfer transferToFixedLength'),
  ...of('DataView.prototype', 'getBigInt64 getBigUint64 getFloat16 setBigInt64 setBigUint64 setFloat16'),
  ...of('Function.prototype', 'caller columnNumber fileName lineNumber'),
  ...of('Map.prototype', 'getOrInsert getOrInsertComputed'),
  'Set.groupBy',
  ...of('Set.prototype', 'difference intersection isDisjointFrom isSubsetOf isSupersetOf symmetricDifference union'),
  ...of('String.prototype', 'isWellFormed matchAll toWellFormed'),
  ...of('WeakMap.prototype', 'getOrInsert getOrInsertComputed'),
  ...MISSING_GLOBALS,
];

/** Names in Rhino that run text as code or expose engine internals. */
export const RHINO_REMOVED: readonly string[] = [...ENGINE_INTERNALS, ...JAVA_BRIDGES, 'Iterator'].filter(
  (name) => name !== 'valueOf' && !name.startsWith('__'),
);
