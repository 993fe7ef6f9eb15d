/** The rules of a steering document, and the order of its pools for all other clients. */
import { useSignal } from '@preact/signals';
import type { SteeringBody } from '../api/views.ts';
import { TEXTS } from '../texts.ts';
import { CONDITIONS, type DraftRule, moved, orderOf, poolsOf, rulesOf, valuesOf, without, withRule } from './draft.ts';
import { ListInput, MoveButtons, SelectInput } from './inputs.tsx';
import type { PartProps } from './pool-fields.tsx';

export function RuleList({ draft, edit, faultAt }: PartProps) {
  const texts = TEXTS.steering.rules;
  const rules = rulesOf(draft);
  const setRules = (changed: readonly DraftRule[]): void => edit({ ...draft, rules: [...changed] });
  const first = poolsOf(draft).at(0)?.name ?? '';
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {rules.map((rule, i) => (
        <fieldset class="areas" key={String(i)}>
          <legend>{texts.legend(i + 1)}</legend>
          <div class="form-pairs">
            {CONDITIONS.map((condition) => (
              <ListInput
                key={condition}
                label={texts.conditions[condition]}
                fault={faultAt(`/rules/${i}/match/${condition}`)}
                values={valuesOf(rule, condition)}
                name={condition}
                placeholder={texts.examples[condition]}
                onChange={(values) => edit(withRule(draft, i, { match: { ...rule.match, [condition]: [...values] } }))}
              />
            ))}
            <SelectInput
              label={texts.pool}
              fault={faultAt(`/rules/${i}/pool`)}
              value={rule.pool}
              name="rule_pool"
              choices={choicesOf(draft, rule.pool)}
              onChange={(pool) => edit(withRule(draft, i, { pool }))}
            />
          </div>
          <MoveButtons
            of={texts.legend(i + 1)}
            texts={TEXTS.steering.move}
            index={i}
            count={rules.length}
            onMove={(to) => setRules(moved(rules, i, to))}
            onRemove={() => setRules(without(rules, i))}
          />
        </fieldset>
      ))}
      <div class="actions">
        <button type="button" class="button" onClick={() => setRules([...rules, { match: {}, pool: first }])}>
          {texts.add}
        </button>
      </div>
    </section>
  );
}

/** The pools, and the chosen one even if there is no such pool. */
const choicesOf = (draft: SteeringBody, chosen: string) =>
  [...new Set([...poolsOf(draft).map(({ name }) => name), chosen])].map((value) => ({ value, label: value }));

export function PoolOrder({ draft, edit, faultAt }: PartProps) {
  const texts = TEXTS.steering.order;
  const order = orderOf(draft);
  const others = poolsOf(draft)
    .map(({ name }) => name)
    .filter((name) => !order.includes(name));
  const chosen = useSignal('');
  const next = others.includes(chosen.value) ? chosen.value : (others.at(0) ?? '');
  const setOrder = (fallback: readonly string[]): void => edit({ ...draft, fallback: [...fallback] });
  const fault = faultAt('/fallback');
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {order.length === 0 && <p class="hint">{texts.empty}</p>}
      <ol class="exposed">
        {order.map((name, i) => (
          <li key={String(i)}>
            <p>{texts.place(i + 1, name)}</p>
            <MoveButtons
              of={name}
              texts={TEXTS.steering.move}
              index={i}
              count={order.length}
              onMove={(to) => setOrder(moved(order, i, to))}
              onRemove={() => setOrder(without(order, i))}
            />
          </li>
        ))}
      </ol>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {others.length > 0 && (
        <div class="form-pairs">
          <SelectInput
            label={texts.other}
            value={next}
            name="next_pool"
            choices={others.map((value) => ({ value, label: value }))}
            onChange={(value) => {
              chosen.value = value;
            }}
          />
          <div class="actions">
            <button type="button" class="button" onClick={() => setOrder([...order, next])}>
              {texts.add}
            </button>
          </div>
        </div>
      )}
    </section>
  );
}
