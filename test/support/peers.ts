/** Peers: programs that tests run next to the daemon, and what tests do without one. */

/** Returns why a test is skipped. WAYPOST_REQUIRE_PEERS=1 throws: `.ci/run` installs all peers. */
export function missingPeer(why: string): string {
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  return why;
}
