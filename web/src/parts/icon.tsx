/** The few drawings that the pages use, as strokes in the colour of the text. */
import type { ReactNode } from 'react';

const PATHS = {
  cairn:
    'M4 19.5c0-2 3.6-3 8-3s8 1 8 3-3.6 2.5-8 2.5-8-.500-8-2.500zM6.500 13c0-1.700 2.500-2.600 5.500-2.600s5.500.900 5.500 2.600-2.500 2.600-5.500 2.600-5.500-.900-5.500-2.600zM9 6.800c0-1.500 1.300-2.800 3-2.800s3 1.300 3 2.800-1.300 2.200-3 2.200-3-.700-3-2.200z',
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  nodes: 'M4 5h16v5H4zM4 14h16v5H4zM7.500 7.500h.01M7.500 16.500h.01',
  metrics: 'M4 19h16M5 15l4-5 4 3 6-8',
  logs: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7',
  health: 'M3 12h4l2-5 4 10 2-5h6',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4.500v5M7 14.500v5',
  view: 'M4 6h10M18 6h2M4 12h4M12 12h8M4 18h12M20 18h.01M16 4v4M10 10v4M18 16v4',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  empty: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.500 2.500h3L15 13h5',
  critical: 'M8.300 3h7.400L21 8.300v7.400L15.700 21H8.300L3 15.700V8.300zM12 7.500v5.500M12 16.500h.01',
  failed: 'M12 4l9 16H3zM12 10v4.500M12 17.200h.01',
  denied: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  offline:
    'M3 3l18 18M5 12.500a10 10 0 0 1 4-2.300M19 12.500a10 10 0 0 0-5-2.600M8.500 16a5 5 0 0 1 6.500-.200M12 20h.01',
  leave: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  done: 'M5 12.500l4.500 4.500L19 7.500',
  plus: 'M12 6v12M6 12h12',
  minus: 'M6 12h12',
  back: 'M14.500 6l-6 6 6 6',
  forth: 'M9.500 6l6 6-6 6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.500 4.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
