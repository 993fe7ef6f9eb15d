/** Storage quotas of an account and of each of its zones, by plan. */
import { bytes, GB, integer, MB } from './kinds.ts';
import { setting } from './setting.ts';

const records = (plan: string, of: string, standard: number) =>
  setting(integer(0, 1_000_000_000), standard, `Maximum number of records of ${of} in the plan "${plan}".`);
const size = (plan: string, of: string, standard: number) =>
  setting(bytes(0, 1024 * GB), standard, `Maximum bytes that ${of} stores in the plan "${plan}".`);

export const QUOTA_SETTINGS = {
  free_zone_records: records('free', 'a zone', 10_000),
  free_records: records('free', 'an account', 50_000),
  free_zone_size: size('free', 'a zone', 8 * MB),
  free_size: size('free', 'an account', 512 * MB),
  pro_zone_records: records('pro', 'a zone', 500_000),
  pro_records: records('pro', 'an account', 1_000_000),
  pro_zone_size: size('pro', 'a zone', 256 * MB),
  pro_size: size('pro', 'an account', 8 * GB),
  unlimited_zone_records: records('unlimited', 'a zone', 0),
  unlimited_records: records('unlimited', 'an account', 0),
  unlimited_zone_size: size('unlimited', 'a zone', 0),
  unlimited_size: size('unlimited', 'an account', 0),
} as const;
