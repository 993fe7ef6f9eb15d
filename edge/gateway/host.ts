/** The host of a request's authority, as sites are looked up by: without a port and the last dot. The authority is well-formed and in lower case. */
export function hostOf(authority: string): string {
  // An IPv6 literal keeps its brackets: it is the name of no site.
  const hasPort = authority.includes(':') && !authority.endsWith(']');
  const host = hasPort ? authority.slice(0, authority.lastIndexOf(':')) : authority;
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** The port that an authority names; empty: that of its scheme. */
export function portOf(authority: string): string {
  const colon = authority.lastIndexOf(':');
  return colon < 0 || authority.endsWith(']') ? '' : authority.slice(colon + 1);
}
