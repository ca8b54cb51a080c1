/** Times in the zone that the reader chose, with the other one on hover; ages that move. */
import { Fragment, type ReactNode } from 'react';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { momentLabel } from '../range/range-text.ts';
import { useTextAtWall, useTextNow } from './clock.ts';
import { spanText } from './format.ts';

const PARTS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
} as const;
const FORMATS = {
  local: new Intl.DateTimeFormat('en', PARTS),
  utc: new Intl.DateTimeFormat('en', { ...PARTS, timeZone: 'UTC' }),
};

/** `zoneKnown`: the name of the zone where the reader sees it already; a time in it does not say it again. */
export function LocalTime({ at, zoneKnown = '' }: { at: string; zoneKnown?: string }): ReactNode {
  const zone = usePreference(timeZone);
  const text = textIn(zone, at);
  return (
    <time className="number unbroken" dateTime={at} title={zone === 'utc' ? textIn('local', at) : textIn('utc', at)}>
      {withHyphens(zoneKnown !== '' && text.endsWith(` ${zoneKnown}`) ? text.slice(0, -zoneKnown.length - 1) : text)}
    </time>
  );
}

/** In a sentence: `14:49` of today, `Nov 20, 08:00` of another day; the whole of it on hover. */
export function Moment({ at }: { at: string }): ReactNode {
  const zone = usePreference(timeZone);
  return (
    <time className="moment" dateTime={at} title={localText(at)}>
      {momentLabel(Date.parse(at), Date.now(), zone)}
    </time>
  );
}

/** Figures of a time are all as wide as each other; the hyphens of its date are not as wide as a figure. */
export function withHyphens(text: string): ReactNode {
  return text.split(/(?<=\d)-(?=\d)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
    <Fragment key={i}>
      {i === 0 ? null : <span className="hyphen">-</span>}
      {part}
    </Fragment>
  ));
}

/** A sentence whose dates are not parted at the end of a line. */
export function withDates(text: string): ReactNode {
  return text.split(/(\d{4}-\d\d-\d\d)/).map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
      <span key={i} className="unbroken">
        {withHyphens(part)}
      </span>
    ),
  );
}

/** As times name it now: `UTC`, `GMT+1`. */
export function zoneText(): string {
  return localText(new Date().toISOString()).split(' ')[2] ?? '';
}

/** `2026-01-31 12:00:00 UTC`, or in the reader's zone. A text that is no time stays as it is. */
export function localText(at: string): string {
  return textIn(timeZone.current(), at);
}

/** `12:00`, in the reader's zone. */
export function clockText(at: string): string {
  return localText(at).slice(11, 16);
}

/** `2026-01-31`: today, in the reader's zone. */
export function dayText(): string {
  return localText(new Date().toISOString()).slice(0, 10);
}

/** As the server has a moment in a text. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The text with its moments in the reader's zone. */
export function withMoments(text: string): string {
  return text.replace(MOMENT, momentText);
}

/** `09:47` of today, `2026-11-21` of a day before. */
function timeText(at: string): string {
  const [day = '', time = ''] = localText(at).split(' ');
  const [today] = localText(new Date().toISOString()).split(' ');
  return day === today ? time.slice(0, 5) : day;
}

const HALF_DAY_MS = 43_200_000;

/** What is soon needs no day, also beyond midnight. */
function momentText(at: string): string {
  return Math.abs(Date.parse(at) - Date.now()) < HALF_DAY_MS ? clockText(at) : timeText(at);
}

function textIn(zone: keyof typeof FORMATS, at: string): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return at;
  const parts: Record<string, string> = {};
  for (const { type, value } of FORMATS[zone].formatToParts(ms)) parts[type] = value;
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

/** From a minute on without seconds, which nobody reads and which would move all the time. */
function ageText(seconds: number): string {
  return spanText(seconds < 60 ? seconds : Math.floor(seconds / 60) * 60);
}

/** The widest that the age of this moment is while it is told in the same units. */
export function ageRoom(of: string): string {
  const seconds = (Date.now() - Date.parse(of)) / 1000;
  if (seconds < 3_600) return '00 m ago';
  return seconds < 86_400 ? '00 h 00 m ago' : '00 d 00 h ago';
}

export function Age({ of }: { of: string }): ReactNode {
  const age = useAge(of);
  return (
    <time className="number" dateTime={of} title={localText(of)}>
      {age} ago
    </time>
  );
}

/** While the server is away: since when it has been, by a clock that goes on. */
export function AgeAway({ of }: { of: string }): ReactNode {
  const age = useTextAtWall((atMs) => ageText(Math.max(0, atMs - Date.parse(of)) / 1000));
  return (
    <time className="number" dateTime={of} title={localText(of)}>
      {age} ago
    </time>
  );
}

/** `2 m to 17 m ago`: of what happened several times. */
export function Ages({ from, to }: { from: string; to: string }): ReactNode {
  const [first, last] = [useAge(from), useAge(to)];
  return (
    <span className="number" title={`${localText(from)} to ${localText(to)}`}>
      {first === last ? last : `${last} to ${first}`} ago
    </span>
  );
}

/** Of what goes on. */
export function LastsFor({ since }: { since: string }): ReactNode {
  const age = useAge(since);
  return (
    <time className="number" dateTime={since} title={localText(since)}>
      for {age}
    </time>
  );
}

/** `7 m`: how long ago it was, as it moves on. */
export function useAge(of: string): string {
  return useTextNow((nowMs) => ageText(Math.max(0, nowMs - Date.parse(of)) / 1000));
}
