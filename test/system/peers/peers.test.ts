/**
 * A third opinion on the reference: the same worlds in Knot DNS and in NSD. BIND loads few of
 * these zones; see chains.test.ts. Hundreds of worlds, each below an origin of its own, are loaded
 * into one server.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, LOWER, parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { difference } from '../../reference/compare.ts';
import { buildQuestion, buildWorld, questionDraft, type World, worldDraft } from '../../reference/generate.ts';
import { type Query, resolve } from '../../reference/resolver.ts';
import { depth } from '../../support/depth.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import fc from '../../support/fc.ts';
import { decodeMessage, encodeQuery, type Message } from '../../support/message.ts';
import { formatRecord, formatZone } from '../../support/names.ts';
import { SEED } from '../../support/seed.ts';
import { type Difference, EXPLANATION_NAMES, explain, type Part } from './explained.ts';
import { type Peer, startPeer, whyNot } from './servers.ts';
import { peerWorld } from './world.ts';

const WORLDS = depth({ quick: 200, moderate: 200, full: 4000 });
const QUESTIONS = 25;

interface Case {
  readonly world: World;
  readonly questions: readonly Query[];
}

/**
 * Without ANY, where each server minimizes in its own way (RFC 8482), and without type 0 and the
 * meta types.
 */
function cases(): Case[] {
  const drafts = fc.tuple(
    worldDraft,
    fc.array(questionDraft, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' }),
  );
  return fc.sample(drafts, { numRuns: WORLDS, seed: SEED }).map(([draft, questions], i) => {
    const world = peerWorld(buildWorld(draft, parseName(`w${i}.test.`)));
    const plain = { class: CLASS_IN, edns: { version: 0, size: 4096, do: false } };
    return {
      world,
      questions: questions
        .map((question) => buildQuestion({ ...question, ...plain }, world))
        .filter((query) => query !== undefined)
        .filter(({ type }) => type > 0 && type !== TYPE.OPT && (type < 128 || type > 255)),
    };
  });
}

/** What of an answer differs, with every record by which it does. */
function compare(world: World, query: Query, theirs: Message, peer: Peer['name']): [Difference, string[]] {
  const ours = resolve(world.zones, query);
  const details: string[] = [];
  const parts = new Set<Part>();
  const name = query.name.map((byte) => LOWER[byte]);
  if (theirs.rcode !== ours.rcode) parts.add('rcode');
  if (theirs.header.aa !== ours.aa) parts.add('aa');
  for (const section of ['answer', 'authority', 'additional'] as const) {
    for (const fault of difference(section, theirs[section], ours[section])) {
      parts.add(fault.startsWith(`${section} lacks`) ? `${section}-` : `${section}+`);
      details.push(fault);
    }
  }
  if (parts.has('rcode')) details.push(`RCODE ${theirs.rcode}, ours ${ours.rcode}`);
  return [{ peer, world, query: { ...query, name }, ours, theirs, parts }, details];
}

function report({ peer, world, query, ours, theirs, parts }: Difference, details: readonly string[]): string {
  return [
    `${peer} differs (${[...parts].join(', ')}) on ${formatName(query.name)} TYPE${query.type}, seed ${SEED}`,
    ...details.map((detail) => `  ${detail}`),
    `  ours: AA ${ours.aa}; theirs: AA ${theirs.header.aa}`,
    ...theirs.answer.map((record) => `  their answer: ${formatRecord(record)}`),
    ...[...world.zones.values()].map((zone) => `zone\n${formatZone(zone)}`),
  ].join('\n');
}

async function agree(name: Peer['name']): Promise<void> {
  const all = cases();
  const peer = await startPeer(
    name,
    all.flatMap(({ world }) => [...world.zones.values()]),
  );
  const client = await UdpClient.connect(peer.port);
  const seen = new Map<string, number>();
  const unexplained: string[] = [];
  let askedAt = 0;
  try {
    for (const { world, questions } of all) {
      const responses = await queryAll(
        client,
        questions.map((query, i) => encodeQuery(query, i)),
      );
      questions.forEach((query, i) => {
        const response = responses[i];
        askedAt++;
        if (response === null) throw new Error(`${name} is silent on ${formatName(query.name)}`);
        const [found, details] = compare(world, query, decodeMessage(response), name);
        if (found.parts.size === 0) return;
        const reasons = explain(found);
        if (reasons.length === 0) unexplained.push(report(found, details));
        for (const reason of reasons) seen.set(reason, (seen.get(reason) ?? 0) + 1);
      });
    }
  } finally {
    client.close();
    await peer.stop();
  }
  console.log(`${name}: ${askedAt} questions in ${all.length} worlds, seed ${SEED}; explained differences:`);
  for (const why of EXPLANATION_NAMES) if (seen.has(why)) console.log(`  ${seen.get(why)} × ${why}`);
  unexplained.sort((a, b) => a.length - b.length);
  assert.is(unexplained.length, 0, unexplained.slice(0, 3).join('\n'));
}

for (const name of ['knot', 'nsd'] as const) {
  const missing = whyNot(name);
  if (missing === null) test(`the reference agrees with ${name}`, () => agree(name));
  else console.log(`Skipped: the reference is not compared with ${name}: ${missing}.`);
}

test.run();
