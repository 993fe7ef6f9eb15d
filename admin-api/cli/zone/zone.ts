/** `waypost zone`: zone files of domains. */
import type { Command } from 'commander';
import { ACCOUNT } from '../base/accounts.ts';
import type { CommandContext } from '../base/command.ts';
import { addDomainList } from '../domain/domain.ts';
import { addZoneCheck } from './check.ts';
import { addZoneExport } from './export.ts';
import { addZoneImport } from './import.ts';

export function addZoneCommands(program: Command, context: CommandContext): void {
  const zone = program.command('zone').description('zones as zone files: import, export, check').addOption(ACCOUNT);
  addDomainList(zone, context);
  addZoneImport(zone, context);
  addZoneExport(zone, context);
  addZoneCheck(zone, context);
}
