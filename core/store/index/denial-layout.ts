/**
 * The NSEC3 entries of a zone in the arena, sorted by hash, for finding the entry that matches or
 * covers a hash.
 *
 *   directory   a node (store/answers.ts) without types, whose name is DIRECTORY_MARK and the apex:
 *               no query has that name. From `directoryStart`, 32-bit words in the byte order of
 *               the processor:
 *                 number of chunks; the apex
 *                 of each chunk: first hash, reference
 *   chunk       size u32 (big-endian); number of entries (word); of each entry: hash, reference
 *   entry       store/nsec3-entries.ts
 *
 * A directory without chunks means that the arena had no room. All entries of the zone are then
 * looked up in the nsec3 table.
 *
 * Hashes here are the first 32 bits; the entry has the whole hash. A reference is an offset divided
 * by 8; IN_STORE: the entry is only in the nsec3 table. APEX_PROVEN may be added to the reference
 * of the apex; 0: the node of the apex is in the store, or missing. The first hash of the first
 * chunk is 0. No chunk is empty. A change copies the chunk and swaps the reference to it.
 */

/**
 * The first byte of a directory name. It is above 63, the longest label, so no query name has it.
 */
export const DIRECTORY_MARK = 0xff;
/** Words from `directoryStart`. */
export const CHUNK_COUNT_WORD = 0;
export const APEX_WORD = 1;
export const FIRST_CHUNK_WORD = 2;
/** Words in a chunk. */
export const ENTRY_COUNT_WORD = 1;
export const FIRST_ENTRY_WORD = 2;

/** Added to the reference of an apex if all NSEC3 records of its zone exist. */
export const APEX_PROVEN = 1 << 30;

/** Offset of the words in a directory node: after its header and name, rounded up to 8. */
export const directoryStart = (nameLength: number): number => (8 + nameLength + 7) & ~7;
