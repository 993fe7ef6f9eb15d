/** `waypost zone`: zone files of domains. */
import type { Command } from 'commander';
import { ACCOUNT } from './accounts.ts';
import type { CommandContext } from './command.ts';
import { addDomainList } from './domain.ts';
import { addZoneCheck } from './zone-check.ts';
import { addZoneExport } from './zone-export.ts';
import { addZoneImport } from './zone-import.ts';

export function addZoneCommands(program: Command, context: CommandContext): void {
  const zone = program.command('zone').description('zones as zone files: import, export, check').addOption(ACCOUNT);
  addDomainList(zone, context);
  addZoneImport(zone, context);
  addZoneExport(zone, context);
  addZoneCheck(zone, context);
}
