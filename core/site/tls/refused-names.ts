/** Names for which no certificate could be ordered (RefusedName). */

/** Whether the refusal of a name is for a host, also by the wildcard that would cover it. */
export const isRefusalOf = (name: string, host: string): boolean =>
  name === host || name === `*.${host.slice(host.indexOf('.') + 1)}`;
