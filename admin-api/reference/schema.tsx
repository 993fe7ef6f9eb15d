/** A schema as a tree of its fields. */
import type { ComponentChildren } from 'preact';
import type { Reference, Schema } from './document.ts';
import { TEXTS } from './texts.ts';

/** Deeper fields are shown when they are opened. */
const OPEN_DEPTH = 1;

/** Text with `code` in it. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={String(i)}>{part}</code>))}</>;
}

interface FieldsProps {
  readonly reference: Reference;
  readonly schema: Schema;
  readonly depth?: number;
}

export function Fields({ reference, schema, depth = 0 }: FieldsProps) {
  const { properties = {}, required = [] } = reference.resolve(schema);
  const fields = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true);
  return (
    <ul class="fields">
      {fields.map(([name, given]) => {
        const field = reference.resolve(given);
        const inner = innerOf(reference, given);
        return (
          <li key={name}>
            <FieldHead name={name} type={typeOf(reference, given)} isRequired={required.includes(name)}>
              {given.description ?? field.description}
            </FieldHead>
            {inner !== undefined && (
              <details open={depth < OPEN_DEPTH}>
                <summary>{`Fields of ${name}`}</summary>
                <Fields reference={reference} schema={inner} depth={depth + 1} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface HeadProps {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly children: ComponentChildren;
}

export function FieldHead({ name, type, isRequired, children }: HeadProps) {
  return (
    <>
      <p class="field-head">
        <code class="field-name">{name}</code> <span class="hint">{type}</span>
        {isRequired && <span class="badge badge-warning">{TEXTS.required}</span>}
      </p>
      {typeof children === 'string' && children !== '' && (
        <p class="field-text">
          <Prose text={children} />
        </p>
      )}
    </>
  );
}

/** The schema with the fields of a value: of an object, or of the objects of a list. */
function innerOf(reference: Reference, given: Schema): Schema | undefined {
  const schema = reference.resolve(given);
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) return schema;
  if (schema.items !== undefined) return innerOf(reference, schema.items);
  for (const choice of schema.anyOf ?? []) {
    const inner = innerOf(reference, choice);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Such as "list of integers", `"a" or "b"`, "text or null". */
export function typeOf(reference: Reference, given: Schema): string {
  const { anyOf, enum: choices, const: constant, items, type, minimum, maximum } = reference.resolve(given);
  if (constant !== undefined) return JSON.stringify(constant);
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (anyOf !== undefined) return anyOf.map((choice) => typeOf(reference, choice)).join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'values' : typeOf(reference, items)}`;
  if (type === 'string') return 'text';
  if (type === 'boolean') return 'true or false';
  if ((type === 'integer' || type === 'number') && minimum !== undefined && maximum !== undefined)
    return maximum === Number.MAX_SAFE_INTEGER ? type : `${type} from ${minimum} to ${maximum}`;
  return type ?? 'any value';
}
