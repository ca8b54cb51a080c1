/** A drag over a lane, as a stretch of its width, or two fingers that move. */
import { type PointerEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Finger } from './zoom.ts';

/** Below this share of the width a drag is a click that moved. */
const ZOOM_MIN = 0.01;

interface Dragged {
  /** Shares of the width, from the left. */
  readonly from: number;
  readonly to: number;
}

/** Where the pointer is, as a share of the width. */
export function pointerShare({ currentTarget, clientX }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
}

export interface Drag {
  /** Undefined while nothing is dragged. */
  readonly at: Dragged | undefined;
  readonly giveUp: () => void;
  readonly handlers: Readonly<Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp', (event: PointerEvent) => void>>;
}

/** A stretch that is being chosen with the pointer; Escape gives it up, as does a second finger. */
export function useDrag(
  onEnd: (from: number, to: number) => void,
  onPinch: (one: Finger, other: Finger) => void,
): Drag {
  const begin = useRef<number>(undefined);
  const fingers = useRef<Map<number, Finger>>(new Map());
  const [at, setAt] = useState<Dragged>();
  const giveUp = useCallback((): void => {
    begin.current = undefined;
    fingers.current.clear();
    setAt(undefined);
  }, []);
  const isDragged = at !== undefined;
  useEffect(() => {
    if (!isDragged) return undefined;
    const leave = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      // It is no Escape to anybody else.
      event.preventDefault();
      giveUp();
    };
    document.addEventListener('keydown', leave, true);
    return () => document.removeEventListener('keydown', leave, true);
  }, [isDragged, giveUp]);
  const stretch = (event: PointerEvent): Dragged | undefined => {
    if (begin.current === undefined) return undefined;
    const here = pointerShare(event);
    return { from: Math.min(begin.current, here), to: Math.max(begin.current, here) };
  };
  return {
    at,
    giveUp,
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        const here = pointerShare(event);
        begin.current = here;
        if (event.pointerType !== 'touch') return;
        // One that was lifted elsewhere is none of them.
        if (event.isPrimary) fingers.current.clear();
        fingers.current.set(event.pointerId, { from: here, to: here });
        if (fingers.current.size < 2) return;
        // The first may have moved before.
        for (const [id, { to }] of fingers.current) fingers.current.set(id, { from: to, to });
        begin.current = undefined;
        setAt(undefined);
      },
      onPointerMove: (event) => {
        const finger = fingers.current.get(event.pointerId);
        if (finger) fingers.current.set(event.pointerId, { from: finger.from, to: pointerShare(event) });
        // It was released elsewhere.
        if (event.buttons === 0) begin.current = undefined;
        const next = stretch(event);
        if (!next || (at === undefined && next.to - next.from < ZOOM_MIN)) return;
        // Not before it is a drag: a mark below the pointer would never be clicked.
        event.currentTarget.setPointerCapture(event.pointerId);
        setAt(next);
      },
      onPointerUp: (event) => {
        const chosen = stretch(event);
        const [one, other, third] = fingers.current.values();
        giveUp();
        if (one && other && !third) onPinch(one, other);
        if (chosen && chosen.to - chosen.from >= ZOOM_MIN) onEnd(chosen.from, chosen.to);
      },
    },
  };
}
