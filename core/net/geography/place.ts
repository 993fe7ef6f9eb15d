/** The place of an address in 16 bits: a country in ten of them, above it the continent. */

/** In the order of their numbers, from 1. */
export const CONTINENTS = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'] as const;

const LETTERS = 26;
const COUNTRY_BITS = 10;
export const COUNTRY_MASK = (1 << COUNTRY_BITS) - 1;
const FIRST_LETTER = 0x41;

/** Of an ISO 3166 code of two capital letters; 0: none, or not such a code. */
export function countryNumber(code: string): number {
  if (!/^[A-Z]{2}$/.test(code)) return 0;
  return 1 + (code.charCodeAt(0) - FIRST_LETTER) * LETTERS + code.charCodeAt(1) - FIRST_LETTER;
}

/** 0: none. */
export const continentNumber = (code: string): number => CONTINENTS.indexOf(code as (typeof CONTINENTS)[number]) + 1;

export const placeOf = (country: string, continent: string): number =>
  (continentNumber(continent) << COUNTRY_BITS) | countryNumber(country);

/** Empty: unknown. */
export function countryOf(place: number): string {
  const number = (place & COUNTRY_MASK) - 1;
  if (number < 0) return '';
  return String.fromCharCode(FIRST_LETTER + Math.floor(number / LETTERS), FIRST_LETTER + (number % LETTERS));
}

/** Empty: unknown. */
export const continentOf = (place: number): string => CONTINENTS[(place >>> COUNTRY_BITS) - 1] ?? '';

export const continentOfPlace = (place: number): number => place >>> COUNTRY_BITS;
