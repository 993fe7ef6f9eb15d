/** Keeps the rows that the edge reads in step with those that they are made of. */
import type { Environment } from '../../store/environment.ts';
import { idKey } from '../../store/keys.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import { encodeSite } from '../../store/sites.ts';

/** Within a transaction: makes the row of a domain's site anew, which may be gone. */
export function keepSite(environment: Environment, domainId: string): void {
  const { sites } = environment;
  const reader = new Reader(rawReader(environment));
  const key = idKey(domainId);
  const row = encodeSite(reader.proxy(domainId), reader.certificate(domainId), reader.automaticCertificate(domainId));
  if (row === undefined) sites.remove(key);
  // Most of what is written of a proxy is about its orders, of which the edge knows nothing.
  else if (sites.get(key)?.equals(row) !== true) sites.put(key, row);
}
