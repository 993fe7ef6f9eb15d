/** The bulk actions, each for a single domain. */
import type { ListedDomain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { type ArchivedFile, createTar } from './tar.ts';

/** Null on success. */
type Action = (domain: ListedDomain) => Promise<Failure | null>;

const path = ({ id }: ListedDomain) => ({ params: { path: { domain_id: id } } });

const failureIn = async (call: Parameters<typeof settle>[0]): Promise<Failure | null> => {
  const result = await settle(call);
  return result.ok ? null : result.failure;
};

export const setProxy =
  (enable: boolean): Action =>
  (domain) =>
    failureIn(api.POST('/api/v1/domains/{domain_id}/proxy/toggle', { ...path(domain), body: { enable } }));

export const enableDnssec: Action = (domain) =>
  failureIn(api.PUT('/api/v1/domains/{domain_id}/dnssec', { ...path(domain), body: { enabled: true } }));

export const deleteDomain: Action = (domain) => failureIn(api.DELETE('/api/v1/domains/{domain_id}', path(domain)));

/** Reads zone files. `save` then downloads them as one file. */
export class ZoneExport {
  readonly #files: ArchivedFile[] = [];

  readonly read: Action = async (domain) => {
    const result = await settle(api.GET('/api/v1/domains/{domain_id}/zonefile', { ...path(domain), parseAs: 'text' }));
    if (!result.ok) return result.failure;
    this.#files.push({ name: `${domain.domain}.zone`, content: new TextEncoder().encode(String(result.data)) });
    return null;
  };

  save(): void {
    if (this.#files.length === 0) return;
    const [first] = this.#files;
    if (this.#files.length === 1) saveFile(first.name, 'text/dns', [first.content]);
    else saveFile('zones.tar', 'application/x-tar', createTar(this.#files, Math.floor(Date.now() / 1000)));
  }
}

function saveFile(name: string, type: string, parts: readonly Uint8Array[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts] as BlobPart[], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
