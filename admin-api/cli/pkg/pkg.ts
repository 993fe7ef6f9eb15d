/** `waypost pkg`: commands for mini-app packages, for developers and reviewers. */
import type { Command } from 'commander';
import type { CommandContext } from '../base/command.ts';
import { addGroup } from '../base/verb.ts';
import { addPkgConformance } from './conformance.ts';
import { addPkgDev } from './dev.ts';
import { addPkgInit } from './init.ts';
import { addPkgKeysCommands } from './keys.ts';
import { addPkgLint } from './lint.ts';
import { addPkgPack } from './pack.ts';
import { addPkgReviewCommands } from './review.ts';
import { addPkgSdk } from './sdk.ts';
import { addPkgUploadCommands } from './upload.ts';

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
