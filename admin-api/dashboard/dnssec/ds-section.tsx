/** The DS record as separate fields for registrars, as one line, and as a DNSKEY record. */
import type { DnssecView } from '../api/views.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';

/** While the DS record may not be used, it is not offered: with it, answers would be rejected. */
const WITHOUT_DS: ReadonlySet<DnssecView['status']> = new Set(['signing', 'removing_ds', 'off'] as const);

export function DsSection({ zone }: { readonly zone: DnssecView }) {
  const texts = TEXTS.dnssec;
  const isOffered = zone.ds.length > 0 && !WITHOUT_DS.has(zone.status);
  return (
    <section class="card">
      <h2>{zone.status === 'removing_ds' ? texts.removal : texts.records}</h2>
      {(zone.status !== 'secure' || zone.error !== null) && <Instructions zone={zone} isOffered={isOffered} />}
      {isOffered && (
        <>
          {zone.ds.map((ds) => (
            <CopyFields
              key={ds.key_tag}
              keyTag={ds.key_tag}
              line={ds.record}
              fields={(['key_tag', 'algorithm', 'digest_type', 'digest'] as const).map((name) => [
                texts.fields[name],
                String(ds[name]),
              ])}
            />
          ))}
          <details>
            <summary>{texts.asKey}</summary>
            {zone.dnskey.map((key) => (
              <CopyFields
                key={key.key_tag}
                keyTag={key.key_tag}
                line={key.record}
                fields={(['flags', 'protocol', 'algorithm', 'public_key'] as const).map((name) => [
                  texts.keyFields[name],
                  String(key[name]),
                ])}
              />
            ))}
          </details>
        </>
      )}
    </section>
  );
}

/** What to do, in three steps. The first has the time of the current step. */
function Instructions({ zone, isOffered }: { readonly zone: DnssecView; readonly isOffered: boolean }) {
  const { status, next_step: nextStep, next_at: nextAt } = zone;
  const { publish, wait, remove } = TEXTS.dnssec.instructions;
  const [first, ...others] = status === 'removing_ds' ? remove : isOffered ? publish : wait;
  // The current step may name key tags.
  const current = isOffered && status !== 'secure' && nextStep !== null ? nextStep : first;
  return (
    <ol class="instructions">
      <li>
        {current}{' '}
        {nextAt !== null && (
          <span class="hint">
            {TEXTS.timeline.until} <Time value={nextAt} />
          </span>
        )}
      </li>
      {others.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ol>
  );
}

interface CopyFieldsProps {
  readonly keyTag: number;
  readonly fields: readonly (readonly [label: string, value: string])[];
  /** The whole record. */
  readonly line: string;
}

function CopyFields({ keyTag, fields, line }: CopyFieldsProps) {
  const texts = TEXTS.dnssec;
  return (
    <dl class="copy-fields">
      {[...fields, [texts.line, line] as const].map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <code>{value}</code>
            <CopyButton text={value} description={texts.copyField(label, keyTag)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
