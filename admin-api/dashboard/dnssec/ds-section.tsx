/** The DS record as separate fields for registrars, as one line, and as a DNSKEY record. */
import type { DnssecView } from '../api/views.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { TEXTS } from '../texts.ts';

export function DsSection({ zone }: { readonly zone: DnssecView }) {
  const texts = TEXTS.dnssec;
  if (zone.ds.length === 0) return null;
  return (
    <section class="card">
      <h2>{texts.records}</h2>
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
      <h3>{texts.instructions}</h3>
      <ol class="instructions">
        {zone.instructions.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
    </section>
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
