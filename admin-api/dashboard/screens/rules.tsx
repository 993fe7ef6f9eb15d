/** The rules of a domain: their order and counters, templates, and the whole list as JSON. */
import { useMemo } from 'preact/hooks';
import type { RuleBody } from '../api/views.ts';
import { DocumentFrame } from '../edge/document-frame.tsx';
import { JsonForm } from '../edge/json-form.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { AddTemplate } from '../rules/add-template.tsx';
import { RuleList } from '../rules/rule-list.tsx';
import { RulesPage } from '../rules/rules-page.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Counts change without an event, so they are reloaded at this interval in milliseconds. */
const REFRESH_MS = 5000;

export function RulesScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new RulesPage(domainId), [domainId]);
  useInterval(() => page.loadCounts(), REFRESH_MS);
  return (
    <DocumentFrame
      page={page}
      renderLatest={() => (
        <>
          <RuleList page={page} />
          {page.templates.value.length > 0 && <AddTemplate page={page} />}
        </>
      )}
      render={(stored) => (
        <JsonForm<RuleBody>
          texts={TEXTS.rules.document}
          items={stored.rules}
          replace={(rules) => page.replace({ rules: [...rules] })}
        />
      )}
    />
  );
}
