/** The entry point: renders the page of the current address. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { followTheme } from '../ui/theme.ts';
import { actedAccount, followActing } from './acting.ts';
import { addressOf, type PageMatch } from './addresses.ts';
import { followConnection } from './connection.ts';
import { forgetDomain } from './domain.ts';
import { LazyScreen, preloadScreen } from './lazy-screen.tsx';
import { followChanges } from './live.ts';
import { isDomainPage } from './navigation.ts';
import { DomainFrame } from './parts/domain-frame.tsx';
import { Frame } from './parts/frame.tsx';
import { keepFocus } from './parts/keep-focus.ts';
import { FailureNote } from './parts/notes.tsx';
import { usePageTitle } from './parts/title.ts';
import { forgetEditors, guardEdits } from './records/zone-editor.ts';
import { currentPage, openAddress, openSignIn, returnAddress, startRouter } from './router.ts';
import { SignIn, SignInAgain } from './screens/sign-in.tsx';
import { hasEnded, readSession, session, sessionFailure, signOut } from './session.ts';
import { TEXTS } from './texts.ts';

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
    <Frame user={session.value.user} match={currentPage.value} onSignOut={endSession}>
      <CurrentScreen match={currentPage.value} />
      {hasEnded.value && <SignInAgain />}
    </Frame>
  );
}

/** After a sign-out, deletes the data of the user. */
async function endSession(): Promise<void> {
  if ((await signOut()) !== null) return;
  forgetEditors();
  forgetDomain();
}

function CurrentScreen({ match }: { readonly match: PageMatch | null }) {
  if (match === null) return <NotFound />;
  const { page, params } = match;
  // These two pages redirect.
  if (page === 'signIn' || page === 'home') return null;
  const domainId = Number(params.domain_id);
  // A switch of the account renders the page anew.
  const key = `${page} ${Object.values(params).join(' ')} ${actedAccount.value ?? ''}`;
  const screen = <LazyScreen key={key} page={page} domainId={domainId} params={params} />;
  if (!isDomainPage(page)) return screen;
  return (
    <DomainFrame domainId={domainId} page={page}>
      {screen}
    </DomainFrame>
  );
}

followTheme();
startRouter();
guardEdits();
followActing();
followChanges();
followConnection();
keepFocus();
render(<App />, document.getElementById('app')!);
// Both take a while, so that they are asked for at once.
preloadScreen(currentPage.peek()?.page);
void readSession();

/** The page for unknown addresses. */
function NotFound() {
  usePageTitle(TEXTS.notFound.title);
  return (
    <section class="empty">
      <h1>{TEXTS.notFound.title}</h1>
      <p>{TEXTS.notFound.text}</p>
      <a class="button" href={addressOf('domains')}>
        {TEXTS.notFound.link}
      </a>
    </section>
  );
}
