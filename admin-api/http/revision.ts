/** Response header with the sequence number of a change. */
export const REVISION = 'X-Waypost-Revision';
