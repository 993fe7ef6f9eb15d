/** Opens what the nameserver needs of steering: places of clients and the region of the node. */
import type { Logger } from '../../base/log/index.ts';
import { Steps } from '../../base/steps.ts';
import type { Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import { CHECK_INTERVAL_MS, CountryFile } from '../../net/geography/country-file.ts';
import { readPlaces } from '../../net/geography/database.ts';
import { sharePlaces } from '../../net/geography/places.ts';
import { shareCheckedAnswers } from '../../zone/steering/checked-answers.ts';
import type { SteeringState } from '../../zone/steering/picker.ts';

interface StateOptions {
  readonly config: Pick<Config, 'edge' | 'peer'>;
  readonly tasks: Tasks;
  readonly log: Logger;
}

interface OpenState {
  readonly state: SteeringState;
  stop(): unknown;
}

/** Resolves when the file of countries, if there is one, has been read. */
export async function openSteeringState({ config, tasks, log }: StateOptions): Promise<OpenState> {
  const { countryFile: path } = config.edge;
  const state = {
    places: path === undefined ? null : sharePlaces(),
    checked: shareCheckedAnswers(),
    region: config.peer.region,
  };
  if (state.places === null) return { state, stop: () => {} };
  const { places } = state;
  let last: SharedArrayBuffer | null = null;
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    const steps = new Steps();
    const content = last;
    last = null;
    if (content === null) return;
    try {
      for (const _ of readPlaces(Buffer.from(content), places)) await steps.next();
    } catch (error) {
      log.warn('cannot use the country file for steering; keeping the previous one', {
        file: path!,
        reason: (error as Error).message,
      });
    }
  };
  const next = (content: SharedArrayBuffer | null): Promise<void> => {
    last = content;
    reading = reading.then(read);
    return reading;
  };
  // The edge checks the format, with a log line of its own.
  const file = new CountryFile(path, { log, check: () => {} }, (content) => void next(content));
  await next(file.content);
  const task = tasks.add({
    name: 'steering-places',
    owner: 'node',
    due: CHECK_INTERVAL_MS,
    log,
    run: () => file.look(),
  });
  task.start();
  return { state, stop: () => task.stop() };
}
