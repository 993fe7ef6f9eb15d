/**
 * Polls a resource of a directory until it has settled (RFC 8555 7.4, 7.5.1): about a dozen
 * requests in two minutes, at growing intervals. Retry-After is respected, up to a maximum.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readRetryAfter } from './problem.ts';
import { notUsable } from './resources.ts';
import { slow } from './sentences.ts';
import type { DirectoryResponse } from './transport.ts';

/** Seconds before the second request; each further interval is twice the one before. */
const FIRST_INTERVAL = 0.25;
const MAX_INTERVAL = 15;
/** Seconds. A longer Retry-After is shortened, because the certificate may be ready sooner. */
const MAX_RETRY_AFTER = 60;
/** Share of an interval that is added at random, so that nodes and orders do not poll together. */
const JITTER = 0.25;

export interface PollClock {
  /** Seconds of a monotonic clock. */
  now(): number;
  /** Unix time, in seconds: a Retry-After may be a date. */
  date(): number;
  sleep(seconds: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
}

export const SYSTEM_CLOCK: PollClock = {
  now: () => performance.now() / 1000,
  date: () => Date.now() / 1000,
  sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }),
  random: Math.random,
};

export interface PollOptions {
  /** Timeout of the whole poll. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** A response that already contains the resource, in place of the first request. */
  readonly latest?: DirectoryResponse;
}

/**
 * Polls with `fetch` until `isSettled` accepts the resource. Rejects with DirectoryUnreachable.
 * Makes a last request after `seconds`, then rejects with OrderFailure `slow`.
 */
export async function poll<T>(
  fetch: () => Promise<DirectoryResponse>,
  isSettled: (resource: T) => boolean,
  { seconds, signal, latest }: PollOptions,
  clock: PollClock,
): Promise<T> {
  const deadline = clock.now() + seconds;
  let response = latest;
  for (let interval = FIRST_INTERVAL; ; interval = Math.min(interval * 2, MAX_INTERVAL)) {
    signal.throwIfAborted();
    response ??= await fetch();
    const { data, headers } = response;
    if (typeof data !== 'object' || data === null) throw notUsable('a polled resource is not an object');
    if (isSettled(data as T)) return data as T;
    const left = deadline - clock.now();
    if (left <= 0) throw slow();
    const retryAfter = readRetryAfter(headers['retry-after'], clock.date()) ?? 0;
    const wanted = Math.max(interval, Math.min(retryAfter, MAX_RETRY_AFTER)) * (1 + JITTER * clock.random());
    await clock.sleep(Math.min(wanted, left), signal);
    response = undefined;
  }
}
