/** The audit log: who did what, to what, and from where; newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { settingsTabOf } from '../../../address/settings-tabs.ts';
import { type AuditRecord, auditQuery } from '../../../api/audit.ts';
import { DownloadButton } from '../../../parts/download-button.tsx';
import { capitalized, countText } from '../../../parts/format.ts';
import { SearchBox } from '../../../parts/search-box.tsx';
import { Answered, Empty, Loading } from '../../../parts/states.tsx';
import { dayText, LocalTime, localText, zoneText } from '../../../parts/time.tsx';
import { type Range, RECORD_RANGES, whenText } from '../../../range/range.ts';
import { RangePicker } from '../../../range/range-picker.tsx';
import { Values } from '../form/change-preview.tsx';
import { auditCsv } from './audit-file.ts';
import { usePlaces } from './audit-places.ts';
import { type AuditPages, useAuditRange, useReadOn } from './audit-range.ts';
import { actionText, changeText, detailParts, hasWords, isChanges, type Place, targetText } from './audit-text.ts';
import { RecordTable } from './record-table.tsx';
import { useWords } from './search-words.ts';
import { Who } from './who.tsx';

export function AuditTable(): ReactNode {
  const query = useInfiniteQuery(auditQuery);
  const records = query.data?.pages.flat() ?? [];
  return (
    <Answered query={query} what="the audit log">
      {() =>
        records.length === 0 ? (
          <Empty title="Nothing was done yet">
            <p>Changes of settings, tokens and webhooks are kept here, with who made them.</p>
          </Empty>
        ) : (
          <Records records={records} query={query} />
        )
      }
    </Answered>
  );
}

interface RecordsProps {
  readonly records: readonly AuditRecord[];
  readonly query: AuditPages;
}

/** The search is among what was read: the server has none. Older records are read until it has found many. */
function Records({ records, query }: RecordsProps): ReactNode {
  const [words, setWords] = useWords();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const { range, setRange, isInRange, readAll, hasMore } = useAuditRange(records, hasNextPage);
  const isFound = (record: AuditRecord): boolean => hasWords(record, words, localText(record.time));
  const found = records.filter((record) => isInRange(record) && isFound(record));
  const isAll = words.trim() === '' && range === undefined;
  const toPlace = usePlaces(records);
  const goOn = useGoOn(found, isFetchingNextPage);
  const isReading = useReadOn(!isAll && hasMore, found.length, query);
  const among = `${hasNextPage ? 'the newest ' : ''}${countText(records.length)} records`;
  const older = hasMore ? (
    <button
      type="button"
      disabled={isFetchingNextPage}
      onClick={() => {
        goOn();
        void fetchNextPage();
      }}
    >
      Show older
    </button>
  ) : null;
  return (
    <>
      <div className="filters">
        <SearchBox label="Person, action, setting or time" value={words} onChange={setWords} />
        <RangePicker value={range} names={RECORD_RANGES} onChange={setRange} onAny={() => setRange(undefined)} />
        <DownloadButton
          from={async () => new Blob([auditCsv((await readAll()).filter(isFound))], { type: 'text/csv' })}
          fileName={() => `audit-${dayText()}.csv`}
        >
          Export CSV
        </DownloadButton>
        <span className="muted records-count" role="status">
          {isAll ? capitalized(among) : `${countText(found.length)} of ${among}`}
        </span>
      </div>
      {found.length === 0 && isReading ? (
        <Loading what="older records" />
      ) : found.length === 0 ? (
        <Empty title={nothingText(words.trim(), range)}>
          <ShowAll {...{ words, range, setWords, setRange }} />
          {older}
        </Empty>
      ) : (
        <RecordTable label="Audit log" headings={[`Time, ${zoneText()}`, 'Who', 'Action', 'What']} end={older}>
          {found.map((record) => (
            <Row key={record.seq} record={record} place={toPlace(record)} />
          ))}
        </RecordTable>
      )}
    </>
  );
}

/**
 * Called before older records are asked for: the keyboard goes on at the first of them once they are there. The button, which
 * had it, may be gone then, and else stands far below.
 */
function useGoOn(found: readonly AuditRecord[], isFetching: boolean): () => void {
  const last = useRef<number>(undefined);
  useEffect(() => {
    const { current: before } = last;
    if (before === undefined || isFetching) return;
    last.current = undefined;
    const next = found.find(({ seq }) => seq < before) ?? found.at(-1);
    document.getElementById(recordId(next?.seq ?? 0))?.focus();
  }, [found, isFetching]);
  return () => {
    last.current = found.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  };
}

function recordId(seq: number): string {
  return `record-${seq}`;
}

function nothingText(words: string, range: Range | undefined): string {
  const when = range === undefined ? '' : ` ${whenText(range)}`;
  return words === '' ? `No records${when}` : `No record${when} matches “${words}”`;
}

interface ShowAllProps {
  readonly words: string;
  readonly range: Range | undefined;
  readonly setWords: (words: string) => void;
  readonly setRange: (range: undefined) => void;
}

/** Undoes what hides all records: the words first, then the time. */
function ShowAll({ words, range, setWords, setRange }: ShowAllProps): ReactNode {
  const isOfWords = words.trim() !== '';
  return (
    <button type="button" onClick={() => (isOfWords ? setWords('') : setRange(undefined))}>
      {isOfWords && range !== undefined ? 'Clear the search' : 'Show all records'}
    </button>
  );
}

interface RowProps {
  readonly record: AuditRecord;
  /** Where what it is about is seen. */
  readonly place: Place | undefined;
}

function Row({ record, place }: RowProps): ReactNode {
  const { seq, time, who, from, action } = record;
  return (
    <tr id={recordId(seq)} tabIndex={-1}>
      <td className="whole record-meta">
        <LocalTime at={time} zoneKnown={zoneText()} />
      </td>
      <td className="whole record-meta">
        <Who who={who} from={from} />
      </td>
      <td className="whole record-title" title={action}>
        {actionText(record)}
      </td>
      <td className="record-detail">
        <What record={record} place={place} />
      </td>
    </tr>
  );
}

/** What it was done to; then changed settings with their old and new values, and all else as it was recorded. */
function What({ record, place }: RowProps): ReactNode {
  const { action, target, detail } = record;
  const { changes, version, expiresAt, ...others } = detail;
  const name = targetText(record);
  // The field of a webhook has no place of its own.
  const isOfSettings = !action.startsWith('webhook.');
  const parts = detailParts(isChanges(changes) ? others : { ...others, changes, version });
  return (
    <>
      {name === '' ? null : (
        <>
          <span className="record-target" title={target}>
            {place ? <Link {...place}>{name}</Link> : name}
          </span>{' '}
        </>
      )}
      {isChanges(changes)
        ? Object.entries(changes).map(([path, change]) => {
            const [name, before, after] = changeText(path, change);
            return (
              <div key={path} title={path}>
                {isOfSettings ? <SettingLink path={path} name={name} /> : name}:{' '}
                <Values path={path} before={before} after={after} />
              </div>
            );
          })
        : null}
      {parts.join(', ')}
      {typeof expiresAt === 'string' ? (
        <>
          {parts.length === 0 ? 'Valid until ' : ', valid until '}
          <LocalTime at={expiresAt} />
        </>
      ) : null}
    </>
  );
}

function SettingLink({ path, name }: { path: string; name: string }): ReactNode {
  return (
    <Link to="/settings" search={{ tab: settingsTabOf(path) }} hash={path}>
      {name}
    </Link>
  );
}
