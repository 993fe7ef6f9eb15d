/** Response header with the sequence number of a change. */
export const REVISION = 'X-Waypost-Revision';

/** Whether If-None-Match has the ETag (RFC 9110 section 13.1.2). The comparison is weak. */
export const matchesTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch?.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, ''))) ?? false;
