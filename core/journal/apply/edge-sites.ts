/** Keeps the rows that the edge reads in step with the rows they are derived from. */
import type { Environment } from '../../store/environment.ts';
import { type Id, idKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { encodeSite } from '../../store/sites.ts';

/** Updates or deletes the row of a domain's site, inside a write transaction. */
export function updateSite(environment: Environment, domainId: Id): void {
  const { sites } = environment;
  const reader = new Reader(rawReader(environment));
  const key = idKey(domainId);
  const row = encodeSite(reader.proxy(domainId), reader.certificate(domainId), reader.automaticCertificate(domainId));
  if (row === undefined) sites.remove(key);
  // Most writes to a proxy concern certificate orders, which the edge does not read.
  else if (sites.get(key)?.equals(row) !== true) sites.put(key, row);
}
