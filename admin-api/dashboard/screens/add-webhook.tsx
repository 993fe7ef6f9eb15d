/** Creates a webhook, and shows its secret once. */
import { type Signal, useSignal } from '@preact/signals';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { addressOf } from '../addresses.ts';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { type ChosenDomain, DomainPicker } from '../parts/domain-picker.tsx';
import { FormActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface NewWebhook {
  readonly id: number;
  readonly secret: string;
}

export function AddWebhook() {
  usePageTitle(TEXTS.addWebhook.title);
  const made = useSignal<NewWebhook | null>(null);
  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  return made.value === null ? <WebhookForm made={made} /> : <MadeWebhook made={made.value} />;
}

function WebhookForm({ made }: { readonly made: Signal<NewWebhook | null> }) {
  const texts = TEXTS.addWebhook;
  const url = useSignal('');
  const description = useSignal('');
  const isForAll = useSignal(true);
  const events = useSignal('');
  const isRestricted = useSignal(false);
  const domains = useSignal<readonly ChosenDomain[]>([]);
  const isIncomplete = useSignal(false);
  const named = events.value.split(/[\s,]+/).filter((type) => type !== '');
  const lacksEvents = !isForAll.value && named.length === 0;
  const lacksDomains = isRestricted.value && domains.value.length === 0;
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'createWebhook'>>(
    ['/url', '/events', '/domain_ids'],
    async () => {
      isIncomplete.value = lacksEvents || lacksDomains;
      if (isIncomplete.value) return null;
      const body = {
        url: url.value.trim(),
        description: description.value.trim(),
        events: (isForAll.value ? ['*'] : named) as ['*'],
        domain_ids: isRestricted.value ? domains.value.map(({ id }) => id) : null,
      };
      const result = await settle(api.POST('/api/v1/webhooks', { body }));
      if (!result.ok) return result.failure;
      made.value = result.data;
      return null;
    },
  );
  const eventFault = named.map((_, i) => faultOf(`/events/${i}`)).find((fault) => fault !== undefined);
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {otherFailure !== null && eventFault === undefined && <FailureNote failure={otherFailure} />}
      <Field
        label={texts.url}
        hint={texts.urlHint}
        fault={faultOf('/url')}
        value={url}
        name="url"
        autocomplete="off"
        required
        isFirst
      />
      <Field
        label={texts.description}
        hint={texts.descriptionHint}
        value={description}
        name="description"
        autocomplete="off"
      />
      <CheckField label={texts.everything} value={isForAll} name="everything" />
      {!isForAll.value && (
        <Field
          label={texts.events}
          hint={texts.eventsHint}
          fault={isIncomplete.value && lacksEvents ? texts.noEvents : (eventFault ?? faultOf('/events'))}
          value={events}
          name="events"
          autocomplete="off"
        />
      )}
      <CheckField label={TEXTS.addKey.restrict} value={isRestricted} name="restrict" />
      {isRestricted.value && (
        <DomainPicker
          chosen={domains}
          fault={isIncomplete.value && lacksDomains ? TEXTS.addKey.noDomains : faultOf('/domain_ids')}
        />
      )}
      <FormActions isRunning={isRunning.value} runningLabel={texts.submitting} label={texts.submit} from="webhooks" />
    </form>
  );
}

function MadeWebhook({ made: { id, secret } }: { readonly made: NewWebhook }) {
  const texts = TEXTS.addWebhook;
  return (
    <section class="card narrow">
      <h1>{texts.made}</h1>
      <p class="note note-warning" role="status">
        {texts.once}
      </p>
      <CodeBlock label={texts.secret} text={secret} />
      <CodeBlock label={texts.verify} text={verificationCode(secret)} hint={texts.verifyHint} />
      <div class="actions">
        <a class="button button-main" href={addressOf('webhook', { webhook_id: id })}>
          {texts.toWebhook}
        </a>
      </div>
    </section>
  );
}

/**
 * A sample program that verifies messages, with the secret of a new webhook. Code for Node, as in
 * the manual.
 */
const verificationCode = (secret: string): string => `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = '${secret}';

export function verify(headers, body) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const text = \`\${headers['webhook-id']}.\${timestamp}.\${body}\`;
  const hmac = createHmac('sha256', key).update(text).digest('base64');
  const expected = Buffer.from(\`v1,\${hmac}\`);
  return headers['webhook-signature'].split(' ').some((each) => {
    const received = Buffer.from(each);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
}`;
