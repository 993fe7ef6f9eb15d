/** Opens the journal that the configuration asks for: of this node alone, or of several that share a log in etcd. */
import { openEmbeddedJournal } from '../journal/embedded-journal.ts';
import { StoreReader } from '../store/reader.ts';
import { continueIds } from '../store/rows.ts';
import type { Node, NodeOptions } from './node.ts';
import { openSharedNode } from './shared-node.ts';

/** Throws ConfigError. */
export async function openNode(options: NodeOptions): Promise<Node> {
  // Each change makes one for its audit entry, after those of its rows.
  const [newest] = new StoreReader(options.environment).audits(null, null, 1);
  if (newest !== undefined) continueIds(newest.id);
  return options.config.etcd.endpoints.length === 0 ? alone(options) : openSharedNode(options);
}

function alone(options: NodeOptions): Node {
  const journal = openEmbeddedJournal(options);
  const { nodeName } = options.config;
  return {
    journal,
    isAlone: true,
    blobs: { store: options.blobs, open: (hash) => options.blobs.open(hash) },
    replaced: new Promise(() => {}),
    isReplaced: false,
    sync: (seq) => ({ seq, applied: [nodeName], pending: [] }),
    served: async () => {},
    standing: null,
    faults: () => [],
    warnings: () => [],
    close: () => journal.close(),
  };
}
