import type { Command } from 'commander';
import type { CommandContext } from './run.ts';
import { addZoneCheck } from './zone-check.ts';
import { addZoneExport } from './zone-export.ts';
import { addZoneImport } from './zone-import.ts';
import { addZoneList } from './zone-list.ts';

export function addZoneCommands(program: Command, context: CommandContext): void {
  const zone = program.command('zone').description('zones: list, import and export as master files, check');
  addZoneList(zone, context);
  addZoneImport(zone, context);
  addZoneExport(zone, context);
  addZoneCheck(zone, context);
}
