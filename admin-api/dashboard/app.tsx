/** The entry point: puts the page of the current address into the document. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { addressOf, type PageMatch } from './addresses.ts';
import { Frame } from './parts/frame.tsx';
import { FailureNote } from './parts/notes.tsx';
import { forgetEditors, guardEdits } from './records/zone-editor.ts';
import { currentPage, openAddress, openSignIn, returnAddress, startRouter } from './router.ts';
import { AddDomain } from './screens/add-domain.tsx';
import { Domains } from './screens/domains.tsx';
import { NotFound } from './screens/not-found.tsx';
import { Records } from './screens/records.tsx';
import { SetUp } from './screens/set-up.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { readSession, session, sessionFailure, signOut } from './session.ts';

function App() {
  const page = currentPage.value?.page;
  const isSignedIn = session.value;
  useEffect(() => {
    if (isSignedIn === null && page !== 'signIn') openSignIn();
    if (isSignedIn && page === 'signIn') openAddress(returnAddress(), { replace: true });
    if (isSignedIn && page === 'home') openAddress(addressOf('domains'), { replace: true });
  }, [isSignedIn, page]);
  if (sessionFailure.value !== null) return <FailureNote failure={sessionFailure.value} retry={readSession} />;
  if (session.value === undefined) return null;
  if (session.value === null) return <SignIn />;
  return (
    <Frame user={session.value.user} onSignOut={endSession}>
      <Screen match={currentPage.value} />
    </Frame>
  );
}

/** Edits that are not saved are not for the next user. */
async function endSession(): Promise<void> {
  if ((await signOut()) === null) forgetEditors();
}

function Screen({ match }: { readonly match: PageMatch | null }) {
  const domainId = Number(match?.params.domain_id);
  if (match?.page === 'domains') return <Domains />;
  if (match?.page === 'addDomain') return <AddDomain />;
  if (match?.page === 'setUp') return <SetUp key={domainId} domainId={domainId} />;
  if (match?.page === 'records') return <Records key={domainId} domainId={domainId} />;
  // These two lead to another page.
  return match?.page === 'signIn' || match?.page === 'home' ? null : <NotFound />;
}

startRouter();
guardEdits();
render(<App />, document.getElementById('app')!);
await readSession();
