/** Limits and defaults of the origins document. */

export const LIMITS = {
  entries: 100,
  pool: 32,
  /** Maximum number of checked origins in a document. */
  checked: 64,
  weight: 1000,
  interval: { least: 2, most: 3600 },
  timeout: { least: 1, most: 60 },
  threshold: 20,
  slowStart: 3600,
  attempts: 5,
  connectTimeout: 60,
  responseTimeout: 600,
  pathLength: 1024,
  pins: 10,
  pem: 65_536,
} as const;

export const EVERY_NAME = '*';

/** The defaults; the documentation and the API list them too. */
export const DEFAULTS = {
  health: { path: '/', status: null, interval: 10, timeout: 5, rise: 2, fall: 3 },
  ejection: { failures: 5, error_rate: 50, min_requests: 20, duration: 30 },
  sticky: { cookie: 'waypost_origin', header: null, max_age: null },
  retries: { attempts: 3, budget: 20 },
} as const;
