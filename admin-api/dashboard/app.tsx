/** The entry point: puts the page of the current address into the document. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { actedAccount, followActing } from './acting.ts';
import { addressOf, type PageMatch } from './addresses.ts';
import { forgetDomain } from './domain.ts';
import { LazyScreen } from './lazy-screen.tsx';
import { followChanges } from './live.ts';
import { isDomainPage } from './navigation.ts';
import { DomainFrame } from './parts/domain-frame.tsx';
import { Frame } from './parts/frame.tsx';
import { FailureNote } from './parts/notes.tsx';
import { forgetEditors, guardEdits } from './records/zone-editor.ts';
import { currentPage, openAddress, openSignIn, returnAddress, startRouter } from './router.ts';
import { NotFound } from './screens/not-found.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { readSession, session, sessionFailure, signOut } from './session.ts';

function App() {
  const page = currentPage.value?.page;
  const isSignedIn = session.value;
  useEffect(() => {
    if (isSignedIn === null && page !== 'signIn') openSignIn();
    if (isSignedIn && page === 'signIn') openAddress(returnAddress(), { replace: true });
    if (isSignedIn && page === 'home') openAddress(addressOf('overview'), { replace: true });
  }, [isSignedIn, page]);
  if (sessionFailure.value !== null) return <FailureNote failure={sessionFailure.value} retry={readSession} />;
  if (session.value === undefined) return null;
  if (session.value === null) return <SignIn />;
  return (
    <Frame user={session.value.user} onSignOut={endSession}>
      <CurrentScreen match={currentPage.value} />
    </Frame>
  );
}

/** What the user has left is not for the next user. */
async function endSession(): Promise<void> {
  if ((await signOut()) !== null) return;
  forgetEditors();
  forgetDomain();
}

function CurrentScreen({ match }: { readonly match: PageMatch | null }) {
  if (match === null) return <NotFound />;
  const { page, params } = match;
  // These two lead to another page.
  if (page === 'signIn' || page === 'home') return null;
  const domainId = Number(params.domain_id);
  // Another account has other objects, so its page is built again.
  const key = `${page} ${Object.values(params).join(' ')} ${actedAccount.value ?? ''}`;
  const screen = <LazyScreen key={key} page={page} domainId={domainId} params={params} />;
  if (!isDomainPage(page)) return screen;
  return (
    <DomainFrame domainId={domainId} page={page}>
      {screen}
    </DomainFrame>
  );
}

startRouter();
guardEdits();
followActing();
followChanges();
render(<App />, document.getElementById('app')!);
await readSession();
