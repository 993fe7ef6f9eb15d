/** Fills the store of a data folder before a daemon runs on it. */
import { loadConfig } from '../../core/config/index.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded-journal.ts';
import { rebuildAnswers } from '../../core/journal/upkeep/rebuild.ts';
import { openEnvironment } from '../../core/store/environment.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { domains, records } from '../../core/store/rows.ts';
import { zoneSettings } from '../../core/zone/compile/settings.ts';
import { addressRecord, newDomain } from '../core/journal/fixture.ts';

/** Rows of a commit. */
const GROUP_ROWS = 5000;

/**
 * Creates the zones `zone-0.example`, `zone-1.example` …, whose records `host-0`, `host-1` … have
 * the address 192.0.2.7.
 */
export async function fillStore(dataDir: string, zones: number, recordsPerZone: number): Promise<void> {
  const config = loadConfig({ env: { WAYPOST_DATA_DIR: dataDir } });
  const environment = openEnvironment(dataDir);
  const settings = zoneSettings(config);
  // As a daemon does: otherwise it would compile all answers again.
  await rebuildAnswers(environment, settings);
  const journal = openEmbeddedJournal({
    environment,
    index: new IndexWriter(0),
    zoneSettings: settings,
    history: config.journal.history,
  });
  const group = Math.ceil(GROUP_ROWS / (recordsPerZone + 1));
  for (let first = 0; first < zones; first += group)
    await write(environment, journal, 'test', (draft) => {
      for (let zone = first; zone < Math.min(zones, first + group); zone++) {
        const domain = newDomain(`zone-${zone}.example.`);
        draft.put(domains, domain);
        for (let i = 0; i < recordsPerZone; i++) draft.put(records, addressRecord(domain, `host-${i}`, 7));
      }
    });
  await journal.close();
  await environment.close();
}
