/** The NS records of a domain, its secondaries, who may transfer it, and source addresses. */
import { type Signal, useSignal } from '@preact/signals';
import type { ApiResponse } from '../../routes/routes.ts';
import { announce } from '../../ui/parts/announce.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Domain, Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { useResource } from '../parts/use-resource.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

type Distribution = ApiResponse<'getDistribution'>['distribution'];

interface DistributionProps {
  readonly domain: Domain;
  /** Reloads the domain. */
  readonly reload: () => void;
}

export function DistributionForm({ domain, reload }: DistributionProps) {
  const params = { path: { domain_id: domain.id } };
  const { value, failure } = useResource(() => settle(api.GET('/api/v1/domains/{domain_id}/distribution', { params })));
  if (failure.value !== null) return <FailureNote failure={failure.value} />;
  if (value.value === null || isReader.value) return null;
  return <Form domain={domain} distribution={value.value.distribution} reload={reload} />;
}

const linesOf = ({ value }: Signal<string>): string[] => value.split(/[\s,]+/).filter((line) => line !== '');

function Form({ domain, distribution, reload }: DistributionProps & { readonly distribution: Distribution }) {
  const texts = TEXTS.distribution;
  const own = distribution.own_nameservers ? distribution.nameservers : [];
  const nameservers = useSignal(own.join('\n'));
  const notify = useSignal(distribution.also_notify.join('\n'));
  const allow = useSignal(distribution.allow_transfer.join('\n'));
  const source = useSignal(distribution.transfer_source.join('\n'));
  const warnings = useSignal(distribution.warnings);
  const isEditable = domain.kind === 'primary';
  const { isRunning, failure, submit } = useForm<Pointer<'changeDistribution'>>([], async () => {
    const body = {
      ...(isEditable && { nameservers: linesOf(nameservers) }),
      also_notify: linesOf(notify),
      allow_transfer: linesOf(allow),
      transfer_source: linesOf(source),
    };
    const params = { path: { domain_id: domain.id } };
    const result = await settle(api.PUT('/api/v1/domains/{domain_id}/distribution', { params, body }));
    if (!result.ok) return result.failure;
    warnings.value = result.data.distribution.warnings;
    announce(texts.saved);
    reload();
    return null;
  });
  return (
    <form class="card narrow" onSubmit={submit}>
      <h2>{texts.title}</h2>
      <p class="hint">{texts.hint}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {isEditable && (
        <TextArea label={texts.nameservers} hint={texts.nameserversHint} value={nameservers} name="nameservers" />
      )}
      <TextArea label={texts.notify} hint={texts.notifyHint} value={notify} name="also_notify" />
      <TextArea label={texts.allow} hint={texts.allowHint} value={allow} name="allow_transfer" />
      <TextArea label={texts.source} hint={texts.sourceHint} value={source} name="transfer_source" />
      {warnings.value.map((warning) => (
        <p key={warning} class="note note-warning">
          {warning}
        </p>
      ))}
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isRunning.value}>
          {isRunning.value ? texts.submitting : texts.submit}
        </button>
      </div>
    </form>
  );
}
