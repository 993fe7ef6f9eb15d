/** Limits the rate of requests with token buckets: `quota` requests in `window` seconds. */
import { RecentMap } from '../../core/base/recent-map.ts';
import { HttpError } from './errors.ts';

interface Bucket {
  left: number;
  /** Seconds of a monotonic clock. */
  at: number;
}

/** The rate of an account, as a multiple of the rate of one token, session or TSIG key. */
export const ACCOUNT_SHARES = 5;

const MAX_BUCKETS = 50_000;

export class RateLimit {
  readonly #buckets = new RecentMap<Bucket, string | number>(MAX_BUCKETS);

  /** `quota` 0: no limit; a reload may change it. `window` in seconds. `now` in seconds. */
  constructor(
    private readonly name: string,
    private readonly currentQuota: number | (() => number),
    private readonly window: number,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {}

  get quota(): number {
    const { currentQuota: quota } = this;
    return typeof quota === 'number' ? quota : quota();
  }

  /**
   * Takes one request from a bucket and writes the headers into `headers`. Throws HttpError 429.
   */
  take(key: string | number, headers: Record<string, string>): void {
    const { quota } = this;
    if (quota === 0) return;
    const rate = quota / this.window;
    const bucket = this.#filled(key);
    const allowed = takeFrom(bucket);
    const untilOne = Math.max(0, Math.ceil((1 - bucket.left) / rate));
    const untilFull = Math.ceil((quota - bucket.left) / rate);
    headers['RateLimit-Policy'] = `"${this.name}";q=${quota};w=${this.window}`;
    headers.RateLimit = `"${this.name}";r=${Math.floor(bucket.left)};t=${allowed ? untilFull : untilOne}`;
    if (allowed) return;
    throw new HttpError(429, 'too_many_requests', `Too many requests; retry in ${Math.max(1, untilOne)} s.`, {
      headers: { 'Retry-After': String(Math.max(1, untilOne)) },
    });
  }

  /** Like `take`, but writes the headers only when it throws. */
  takeSilently(key: string | number, headers: Record<string, string>): void {
    if (!this.tryTake(key)) this.take(key, headers);
  }

  /** Takes one request from a bucket. False: the bucket is empty. */
  tryTake(key: string | number): boolean {
    return this.quota === 0 || takeFrom(this.#filled(key));
  }

  /** The bucket of a key, refilled for the time since its last use. */
  #filled(key: string | number): Bucket {
    const now = this.now();
    const { quota } = this;
    const bucket = this.#buckets.of(key, () => ({ left: quota, at: now }));
    bucket.left = Math.min(quota, bucket.left + ((now - bucket.at) * quota) / this.window);
    bucket.at = now;
    return bucket;
  }
}

function takeFrom(bucket: Bucket): boolean {
  if (bucket.left < 1) return false;
  bucket.left--;
  return true;
}
