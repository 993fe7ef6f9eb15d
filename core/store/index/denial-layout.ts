/**
 * The NSEC3 entries of a zone in the arena, sorted by hash, for finding the entry that matches or
 * covers a hash.
 *
 *   directory   a node (store/answers.ts) without types, whose name is DIRECTORY_MARK and the apex:
 *               no query has that name. From `directoryStart`, 32-bit words in the order of the
 *               processor:
 *                 number of chunks; the apex
 *                 of each chunk: first hash, reference
 *   chunk       size u32 (big-endian); number of entries (word); of each entry: hash, reference
 *   entry       store/nsec3-entries.ts
 *
 * A directory without chunks says that the arena had no room: all is looked up in the table.
 *
 * A hash here is its first 32 bits; the entry has the whole. A reference is an offset divided by 8;
 * IN_STORE: the entry is only in the nsec3 table. That of the apex has APEX_PROVEN; 0: the node of
 * the apex is in the store. The first hash of the first chunk is 0. No chunk
 * is empty. A changed chunk is a new one; references are swapped.
 */

/** In place of a length of a label: above 63, so that no name of a query has it. */
export const DIRECTORY_MARK = 0xff;
/** Words from `directoryStart`. */
export const CHUNK_COUNT_WORD = 0;
export const APEX_WORD = 1;
export const FIRST_CHUNK_WORD = 2;
/** Words in a chunk. */
export const ENTRY_COUNT_WORD = 1;
export const FIRST_ENTRY_WORD = 2;

/** Added to the reference of an apex whose zone has all its NSEC3 records. */
export const APEX_PROVEN = 1 << 30;

/** Offset in a node of its words: after the node's header and name, at a multiple of 8. */
export const directoryStart = (nameLength: number): number => (8 + nameLength + 7) & ~7;
