/** The simulator's page: a phone, and panels with what it simulates. */
import { render } from 'preact';
import { followTheme } from '../../../ui/theme.ts';
import { Header } from './header.tsx';
import { Panels } from './panels/panels.tsx';
import { Stage } from './phone/stage.tsx';
import { listen, receive } from './relay.ts';
import { readEvents } from './server.ts';
import { TEXTS } from './texts.ts';

function App() {
  return (
    <>
      <a class="skip" href="#panels">
        {TEXTS.skipToPanels}
      </a>
      <Header />
      <main class="simulator">
        <Stage />
        <Panels />
      </main>
    </>
  );
}

followTheme();
listen();
render(<App />, document.getElementById('app')!);
void readEvents(receive);
