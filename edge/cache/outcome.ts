/** How the cache handled a request, for the access log and the metrics. */
export type CacheOutcome =
  | 'none' // the cache was not involved: another method, a WebSocket, an edge error, no cache
  | 'bypass' // the request bypassed the cache
  | 'miss' // the cache had no usable response; whether the new one is stored does not matter
  | 'hit'
  | 'revalidated' // the origin confirmed the stored response
  | 'stale'; // served stale: RFC 5861, or the visitor allows it (max-stale)
