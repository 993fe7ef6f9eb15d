/** Numbers for people. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Such as `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toLocaleString('en', { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${UNITS[unit]}`;
}

/** Such as `1,234`, from a million on `1.2M`. Values below one have two digits. */
export function formatCount(count: number): string {
  if (count > 0 && count < 1) return count.toLocaleString('en', { maximumSignificantDigits: 2 });
  if (count < 1_000_000) return count.toLocaleString('en');
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

/** Such as `42 %`. `share`: from 0 to 1. */
export const formatShare = (share: number): string => `${Math.round(100 * share)} %`;
