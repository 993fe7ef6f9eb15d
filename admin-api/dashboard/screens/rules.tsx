/** The rules of a domain: their order and counters, templates, and the whole list as JSON. */
import { useEffect, useMemo } from 'preact/hooks';
import type { RuleBody } from '../api/views.ts';
import { JsonForm } from '../edge/json-form.tsx';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { useInterval } from '../parts/use-interval.ts';
import { AddTemplate } from '../rules/add-template.tsx';
import { RuleList } from '../rules/rule-list.tsx';
import { RulesPage } from '../rules/rules-page.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Counts change without a change that is announced. */
const REFRESH_MS = 5000;

export function RulesScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new RulesPage(domainId), [domainId]);
  useEffect(() => void page.load(), [page]);
  useChanges(isChangeOf(domainId, 'proxy'), () => page.load());
  useInterval(() => page.loadCounts(), REFRESH_MS);
  const document = page.document.value;
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {document === null && page.failure.value === null && <Skeleton />}
      {document !== null && (
        <ChangeArea hasNote>
          <RuleList page={page} />
          <AddTemplate page={page} />
          <JsonForm<RuleBody>
            key={document.revision}
            texts={TEXTS.rules.document}
            items={document.rules}
            replace={(rules) => page.replace(rules)}
          />
        </ChangeArea>
      )}
    </div>
  );
}
