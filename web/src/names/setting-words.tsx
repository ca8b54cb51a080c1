/** A text of the server that names settings by their paths: as their fields are called, and as links to them. */
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { settingsTabOf } from '../address/settings-tabs.ts';
import { SETTING_NAMES } from './setting-names.ts';

/** Settings by their paths, of which a text may name one or more. */
const SETTING = /\b((?:ckpt|node|job|security|log)\.[A-Za-z.]*[A-Za-z])\b/;

interface SettingWordsProps {
  readonly text: string;
  /** What becomes of the words between them. */
  readonly rest?: (words: string) => ReactNode;
}

export function SettingWords({ text, rest = (words) => words }: SettingWordsProps): ReactNode {
  return text.split(SETTING).map((part, i) => {
    if (i % 2 === 0 || SETTING_NAMES[part] === undefined) return <Fragment key={part}>{rest(part)}</Fragment>;
    return (
      <Fragment key={part}>
        “
        <Link to="/settings" search={{ tab: settingsTabOf(part) }} hash={part} title={part}>
          {SETTING_NAMES[part]}
        </Link>
        ”
      </Fragment>
    );
  });
}
