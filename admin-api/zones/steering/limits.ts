/** Bounds of steering documents. docs/internals/limits.md lists them. */
import { MAX_RULES } from '../../../core/store/steering-table.ts';

export const LIMITS = {
  pools: 16,
  /** Of a pool, and of all pools of a document: each is a stored answer, signed in advance. */
  answers: 32,
  allAnswers: 64,
  weight: 1000,
  rules: MAX_RULES,
  /** Values of a condition. */
  list: 250,
  /** Of all rules of a document. */
  networks: 512,
  /** Different regions, of all rules of a document. */
  regions: 64,
  name: 64,
  /** Steered record sets of a domain. */
  sets: 100,
  /** Deleted sets of a domain whose versions are kept. */
  deletedSets: 100,
  /** Checked answers of a domain. */
  checked: 256,
  /** Of all domains of an account. */
  account: { answers: 50_000, checked: 4096 },
  interval: { least: 10, most: 3600 },
  timeout: { least: 1, most: 30 },
  threshold: 20,
  pathLength: 1024,
} as const;

export const DEFAULTS = {
  ttl: 60,
  health: { type: 'https', host: null, path: '/', status: null, interval: 30, timeout: 5, rise: 2, fall: 3 },
} as const;
