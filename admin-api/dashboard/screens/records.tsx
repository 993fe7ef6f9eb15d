/** The records of a domain: filter, add, edit in place, delete, and save as one batch. */
import { useEffect, useMemo } from 'preact/hooks';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { PtrList } from '../records/ptr-list.tsx';
import { RecordTable } from '../records/record-table.tsx';
import { SaveBar } from '../records/save-bar.tsx';
import { TransferState } from '../records/transfer-state.tsx';
import { editorOf } from '../records/zone-editor.ts';
import { currentQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Milliseconds without input after which a search of the API starts. */
const TYPING_MS = 300;

export function Records({ domainId }: ScreenProps) {
  const editor = useMemo(() => editorOf(domainId), [domainId]);
  const domain = editor.domain.value;
  useEffect(() => void editor.load(), [editor]);
  useChanges(isChangeOf(domainId, 'records', 'domain'), () => editor.refresh());
  const filter = { text: currentQuery.value.get('q') ?? '', type: currentQuery.value.get('type') ?? '' };
  useEffect(() => {
    const timer = setTimeout(() => editor.filterLarge(filter), TYPING_MS);
    return () => clearTimeout(timer);
  }, [editor, filter.text, filter.type]);

  return (
    <>
      {editor.failure.value !== null && <FailureNote failure={editor.failure.value} retry={() => editor.load()} />}
      {domain === null && editor.failure.value === null && <Skeleton />}
      {domain !== null && <TransferState domain={domain} reload={() => void editor.load()} />}
      {domain?.kind === 'catalog' && <p class="hint">{TEXTS.secondary.catalogHint}</p>}
      {domain !== null && <RecordTable editor={editor} filter={filter} />}
      {domain !== null && <PtrList key={domain.revision} domainId={editor.domainId} />}
      <SaveBar editor={editor} />
    </>
  );
}
