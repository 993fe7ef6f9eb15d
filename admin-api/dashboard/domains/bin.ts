/** Restores deleted domains, and offers it after a deletion. */
import { announce } from '../../ui/parts/announce.tsx';
import type { DeletedDomain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { formatDay } from '../parts/time.tsx';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';
import { runBulk } from './bulk.ts';

/** Days for which a deleted domain can be restored: see core/upkeep/domains/bin.ts. */
const BIN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The day until which a domain can be restored that is deleted now. */
export const lastDay = (): string => formatDay(new Date(Date.now() + BIN_DAYS * DAY_MS));

type Named = Pick<DeletedDomain, 'id' | 'domain'>;

/** Null on success. */
export async function restore({ id, domain }: Named): Promise<Failure | null> {
  const params = { path: { domain_id: id } };
  const result = await settle(api.POST('/api/v1/domains/deleted/{domain_id}/restore', { params }));
  if (result.ok) return null;
  const { failure } = result;
  if (failure.code !== 'zone_exists') return failure;
  return { ...failure, message: TEXTS.deletedDomains.taken(toUnicode(domain)) };
}

/** Says that domains were deleted, with a button that restores them. */
export function announceDeleted(domains: readonly Named[]): void {
  const texts = TEXTS.deleteDomain;
  const undo = { label: TEXTS.saving.undo, run: () => undoDeletion(domains), close: TEXTS.saving.closeMessage };
  const [first] = domains;
  const text =
    domains.length === 1 ? texts.done(toUnicode(first.domain), lastDay()) : texts.doneMany(domains.length, lastDay());
  announce(text, undo);
}

async function undoDeletion(domains: readonly Named[]): Promise<void> {
  const texts = TEXTS.deletedDomains;
  const failures: Failure[] = [];
  announce(texts.restoring(domains.length));
  await runBulk({
    items: domains,
    async run(domain) {
      const failure = await restore(domain);
      // 429 is retried.
      if (failure !== null && failure.status !== 429) failures.push(failure);
      return failure;
    },
    onChange: () => {},
    signal: new AbortController().signal,
  });
  if (failures.length === 0) announceRestored(domains);
  else if (domains.length === 1) announce(failures[0].message, toBin());
  else announce(texts.notRestored(failures.length), toBin());
}

const toBin = () => ({
  label: TEXTS.deletedDomains.title,
  run: () => openPage('deletedDomains'),
  close: TEXTS.saving.closeMessage,
});

export function announceRestored(domains: readonly Named[]): void {
  const texts = TEXTS.deletedDomains;
  const [{ id, domain }] = domains;
  if (domains.length > 1) announce(texts.restoredMany(domains.length));
  else
    announce(texts.restored(toUnicode(domain)), {
      label: texts.open,
      run: () => openPage('records', { domain_id: id }),
      close: TEXTS.saving.closeMessage,
    });
}
