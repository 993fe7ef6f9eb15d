/** Every parser that is fuzzed. */
import type { Target } from '../target.ts';
import { BINARY_TARGETS } from './binary.ts';
import { DNS_TARGETS } from './dns.ts';
import { HTTP_TARGETS } from './http.ts';
import { TEXT_TARGETS } from './text.ts';

export const TARGETS: readonly Target[] = [...DNS_TARGETS, ...HTTP_TARGETS, ...TEXT_TARGETS, ...BINARY_TARGETS];
