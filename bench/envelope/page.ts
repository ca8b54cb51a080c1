/** `docs/guide/envelope.md` from the climbs. */
import {
  brokenAt,
  type Climb,
  figureName,
  GENERATOR_LATE_MS,
  isUndecided,
  numberText,
  OBJECTIVES,
  type Objective,
  type Step,
  verdictOf,
} from './climb.ts';

export interface PageFacts {
  /** Processor, memory, versions, load at the start. */
  readonly machine: readonly string[];
  readonly command: string;
  readonly climbs: readonly Climb[];
}

/** Two cores at this share leave room for bursts. */
const SHARE = 0.7;
const CORES = 2;
const BEAT_EVERY_SECONDS = 30;

export function pageOf({ machine, command, climbs }: PageFacts): string {
  return `${[
    '# What one server carries',
    '',
    'How far one server goes on this machine: the largest load of each kind at which every objective held, and what broke',
    `first beyond it. Made by \`${command}\`; every figure is from that run, none is a promise for another machine.`,
    '',
    ...machine.map((fact) => `- ${fact}`),
    '- The load generator shares the machine with the server, so a server alone holds more.',
    '',
    '## Objectives',
    '',
    ...Object.values(OBJECTIVES).map(({ text }) => `- ${text}`),
    '',
    `A step at which the generator itself was more than ${GENERATOR_LATE_MS} ms late at p99 decides nothing; the climb ends there.`,
    '',
    '## What holds',
    '',
    '| load | holds at | beyond |',
    '|---|---|---|',
    ...climbs.map((climb) => summaryRow(climb)),
    '',
    ...climbs.flatMap((climb) => sectionOf(climb)),
    ...extrapolation(climbs),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function summaryRow(climb: Climb): string {
  const { holds, beyond } = verdictOf(climb);
  return `| ${climb.name} | ${holds === null ? 'no size tried' : `${numberText(holds)} ${climb.unit}`} | ${beyond} |`;
}

function sectionOf({ name, unit, how, steps }: Climb): string[] {
  const measured = (Object.keys(OBJECTIVES) as Objective[]).filter((objective) =>
    steps.some(({ figures }) => figures[objective] !== undefined),
  );
  const hasCpu = steps.some(({ cpuMicroseconds }) => cpuMicroseconds !== null);
  const head = [unit, ...measured.map(figureName), ...(hasCpu ? ['CPU, µs each'] : []), 'verdict'];
  return [
    `## ${name[0]?.toUpperCase()}${name.slice(1)}`,
    '',
    how,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...steps.map((step) => {
      const figures = measured.map((objective) => valueText(step.figures[objective]));
      const cpu = hasCpu ? [valueText(step.cpuMicroseconds ?? undefined)] : [];
      return `| ${[numberText(step.size), ...figures, ...cpu, verdictText(step)].join(' | ')} |`;
    }),
    '',
  ];
}

function verdictText(step: Step): string {
  if (isUndecided(step)) return `undecided: generator ${numberText(step.generatorLateMs)} ms late`;
  const broken = brokenAt(step);
  return broken ? `breaks: ${figureName(broken).split(',')[0]}` : 'holds';
}

function valueText(value: number | undefined): string {
  return value === undefined ? '' : numberText(value);
}

/** Calculated, and called so: what the processor time of the largest size that held would allow. */
function extrapolation(climbs: readonly Climb[]): string[] {
  const rows = climbs.flatMap((climb) => {
    const { holds } = verdictOf(climb);
    const step = climb.steps.find(({ size }) => size === holds);
    if (!climb.unit.includes('beats') || !step?.cpuMicroseconds) return [];
    const perSecond = (SHARE * CORES * 1e6) / step.cpuMicroseconds;
    return [
      `| ${climb.name} | ${numberText(step.cpuMicroseconds)} µs | ${numberText(round(perSecond))} beats/s | ${numberText(round(perSecond * BEAT_EVERY_SECONDS))} nodes |`,
    ];
  });
  if (rows.length === 0) return [];
  return [
    '## Extrapolated, not measured',
    '',
    `Calculated from the processor time a beat at the largest rate that held: what ${CORES} cores would carry at ${SHARE * 100} % of`,
    `their time if nothing else limited them, and how many nodes that beat every ${BEAT_EVERY_SECONDS} s that is.`,
    '',
    '| load | CPU a beat | rate | nodes |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}

/** Two digits: more would claim to be measured. */
function round(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.floor(value / unit) * unit;
}
