/** The header that tells the sequence of a change. */
export const REVISION = 'X-Waypost-Revision';
