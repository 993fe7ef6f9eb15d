/**
 * The layout of the table by which the query path picks one of the answers of a steered record set.
 * It is part of the node (core/store/answers.ts). Offsets count from its first byte; multi-byte
 * fields are big-endian. A mask has a bit for each rule, the first rule the lowest.
 *
 *   0  rules, fallback, pools, answers   u8 each: their numbers
 *   4  needs        u8    NEEDS_*
 *   8  answersAt    u16   offsets and numbers of the lists below
 *  10  countriesAt, countries   u16
 *  14  regionsAt, regions   u16
 *  18  networks4At, networks4   u16
 *  22  networks6At, networks6   u16
 *  28  continents   8 × u32   the rules that a continent allows, by its number
 *  60  otherCountry u32   the rules that countries without an entry allow
 *  64  otherRegion  u32   the rules that regions without an entry allow
 *  68  rules × pool u8, fallback × pool u8, pools × { first answer u8, answers u8 }
 *      answers × { weight u16, check 8 bytes, offset of the stored answer u32 }
 *      countries × { country u16, mask u32 }, ascending
 *      regions × { hash u32, mask u32 }
 *      networks4 × { first address u32, mask u32 }, ascending from 0.0.0.0
 *      networks6 × { first address 16 bytes, mask u32 }, ascending from ::
 *
 * `check` identifies the health check of the answer; zero: it is not checked.
 */

/** Whether the pick depends on the client's country or continent, or on its network. */
export const NEEDS_PLACE = 1;
export const NEEDS_NETWORK = 2;

export const FALLBACK_COUNT_AT = 1;
export const POOL_COUNT_AT = 2;
export const ANSWER_COUNT_AT = 3;
export const NEEDS_AT = 4;
export const ANSWERS_AT = 8;
export const COUNTRIES_AT = 10;
export const REGIONS_AT = 14;
export const NETWORKS4_AT = 18;
export const NETWORKS6_AT = 22;
export const CONTINENTS_AT = 28;
export const OTHER_COUNTRY_AT = 60;
export const OTHER_REGION_AT = 64;
export const STEERING_HEADER = 68;

export const ANSWER_ENTRY = 14;
export const COUNTRY_ENTRY = 6;
export const REGION_ENTRY = 8;
export const NETWORK4_ENTRY = 8;
export const NETWORK6_ENTRY = 20;
/** Offsets in an answer's entry. */
export const CHECK_AT = 2;
export const VARIANT_AT = 10;

/** The number of rules that a mask has bits for. */
export const MAX_RULES = 32;

/** FNV-1a of the name of a region, 32 bits. */
export function hashRegion(region: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(region)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash | 0;
}
