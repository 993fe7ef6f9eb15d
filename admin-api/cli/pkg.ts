/** `waypost pkg`: commands for mini-app packages, for developers and reviewers. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { addPkgConformance } from './pkg-conformance.ts';
import { addPkgDev } from './pkg-dev.ts';
import { addPkgInit } from './pkg-init.ts';
import { addPkgKeysCommands } from './pkg-keys.ts';
import { addPkgLint } from './pkg-lint.ts';
import { addPkgPack } from './pkg-pack.ts';
import { addPkgReviewCommands } from './pkg-review.ts';
import { addPkgSdk } from './pkg-sdk.ts';
import { addPkgUploadCommands } from './pkg-upload.ts';
import { addGroup } from './verb.ts';

export function addPkgCommands(program: Command, context: CommandContext): void {
  const parent = addGroup(program, 'pkg', 'build, upload and review mini-app packages', [
    'waypost pkg init notes --template notes',
    'waypost pkg dev notes',
    'waypost pkg lint notes',
    'waypost pkg pack notes',
    'waypost pkg upload com.example.notes-0.1.0.pkg',
    'waypost pkg list',
    'waypost pkg queue',
  ]);
  addPkgInit(parent, context);
  addPkgDev(parent, context);
  addPkgLint(parent, context);
  addPkgPack(parent, context);
  addPkgUploadCommands(parent, context);
  addPkgSdk(parent, context);
  addPkgConformance(parent, context);
  addPkgReviewCommands(parent, context);
  addPkgKeysCommands(parent, context);
}
