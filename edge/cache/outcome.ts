/** What the cache had to do with a response, in one word: for the log and the metrics. */
export type CacheOutcome =
  | 'none' // not for it: another method, a WebSocket, an error of the edge, no cache at all
  | 'bypass' // asked past it
  | 'miss' // had nothing that it could give; stored or not
  | 'hit'
  | 'revalidated' // the origin said that what was kept is still good
  | 'stale'; // given although it is stale: RFC 5861, or the visitor takes it
