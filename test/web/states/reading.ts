/**
 * What a reader sees of a page, as text: each text with its kind, its colour and its ground by the names of the tokens, and
 * what is wrong with it (hidden behind something, cut off, too faint). It holds no pixels, so fonts and machines do not matter;
 * it is the same in both themes as long as the page takes its colours from the tokens.
 */
import type { Page } from 'playwright-core';

/** The lines of what is on the page; times, ages and addresses are replaced by their names. */
export async function readPage(page: Page, withFrame: boolean): Promise<string> {
  const lines = (await page.evaluate(`(${READ})(${JSON.stringify(withFrame)})`)) as string[];
  const even = lines.map(evened);
  return even.filter((line, i) => line !== even[i - 1]).join('\n');
}

/** Other words each time, and of each machine. */
function evened(line: string): string {
  return (
    line
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      // A moment of a sentence has no zone, and no seconds where they are 0.
      .replace(/\bfrom \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? on\b/g, 'from <time> on')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [\w+\-:]+/g, '<time>')
      // In a column whose heading has the zone.
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, '<time>')
      // A moment of today has its time, one of yesterday its day.
      .replace(/\bsince \d{4}-\d\d-\d\d\b/g, 'since <clock>')
      // A column of its own in a log.
      .replace(/\b\d{4}-\d\d-\d\d\b/g, '<day>')
      .replace(/\b\d+ (d|h|m|s|ms)\b( \d+ (h|m|s|ms)\b)?/g, '<span>')
      // A scale has the date where a day begins, and a moment of yesterday has it beside its time.
      .replace(/\b(?:[A-Z][a-z][a-z] \d\d?, )?\d\d:\d\d\b|\b[A-Z][a-z][a-z] \d\d?\b/g, '<clock>')
      // What happened before midnight happened on a day.
      .replace(/\b(Failed|Succeeded|Stopped|deregistered) on\b/g, '$1 at')
      .replace('"⌘K"', '"Ctrl K"')
      .replace(/127\.0\.0\.1:\d+/g, '<address>')
  );
}

/** Runs in the page. */
const READ = `(withFrame) => {
  const TEXTS = ['text', 'muted', 'accent', 'on-accent', 'good', 'active', 'warn', 'bad'];
  const GROUNDS = ['ground', 'surface', 'raised', 'accent-ground', 'good-ground', 'active-ground', 'warn-ground', 'bad-ground', 'accent'];
  const KINDS = { a: 'link', button: 'button', h1: 'heading 1', h2: 'heading 2', h3: 'heading 3', th: 'column', td: 'cell',
    label: 'label', legend: 'legend', summary: 'summary', code: 'code', pre: 'code', time: 'time', dt: 'name', dd: 'value',
    kbd: 'key', figcaption: 'caption', output: 'status' };
  const probe = document.body.appendChild(document.createElement('span'));
  // Four numbers: red, green and blue to 255, and how opaque.
  const numbersOf = (colour) => {
    const numbers = (colour.match(/-?[\\d.]+(?:e-?\\d+)?/g) ?? []).map(Number);
    const scale = colour.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map((number) => number * scale), numbers[3] ?? 1];
  };
  const keyOf = ([red, green, blue]) => [red, green, blue].map(Math.round).join(' ');
  const namesOf = (tokens) => new Map(tokens.toReversed().map((token) => {
    probe.style.color = 'var(--' + token + ')';
    return [keyOf(numbersOf(getComputedStyle(probe).color)), token];
  }));
  const texts = namesOf(TEXTS);
  const grounds = namesOf(GROUNDS);
  probe.remove();
  const blend = (over, under) => [0, 1, 2].map((i) => over[i] * over[3] + under[i] * (1 - over[3])).concat(1);
  const groundOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = numbersOf(getComputedStyle(at).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reverse().reduce((under, over) => blend(over, under), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [red, green, blue] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const opacityOf = (element) => {
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    return opacity;
  };
  const isSpoken = (element) => element.closest('.hidden, .skip') !== null;
  // The part of an element that its scrolling ancestors leave.
  const seenOf = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === 'visible') continue;
      const box = at.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { x: (left + right) / 2, y: (top + bottom) / 2, isNothing: right - left < 1 || bottom - top < 1 };
  };
  // What lets the pointer through is never hit.
  const isHit = (element) => getComputedStyle(element).pointerEvents !== 'none';
  const faultsOf = (element, colour, ground) => {
    if (isSpoken(element)) return ' [spoken]';
    const faults = [];
    const { x, y, isNothing } = seenOf(element);
    const hit = isNothing ? null : document.elementFromPoint(x, y);
    if (isNothing) faults.push('cut off');
    else if (hit && isHit(element) && !hit.contains(element) && !element.contains(hit)) faults.push('covered');
    const [brighter, darker] = [light(colour), light(ground)].sort((a, b) => b - a);
    const isDisabled = element.closest(':disabled, [aria-disabled=true]') !== null;
    if (!isDisabled && (brighter + 0.05) / (darker + 0.05) < 4.5) faults.push('too faint');
    if (opacityOf(element) < 0.99) faults.push('see-through');
    return faults.length > 0 ? ' [' + faults.join(', ') + ']' : '';
  };
  const kindOf = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const kind = at.getAttribute('role') ?? KINDS[at.localName];
      if (kind && !['group', 'presentation'].includes(kind)) return kind;
      if (at.localName === 'p' || at.localName === 'li') return 'text';
    }
    return 'text';
  };
  const lines = [];
  const say = (element, kind, text) => {
    const ground = groundOf(element);
    const colour = blend(numbersOf(getComputedStyle(element).color), ground);
    const on = (texts.get(keyOf(colour)) ?? 'mixed') + ' on ' + (grounds.get(keyOf(ground)) ?? 'mixed');
    lines.push(kind + ' "' + text.trim().replace(/\\s+/g, ' ') + '" ' + on + faultsOf(element, colour, ground));
  };
  const nameOf = (element) => {
    const by = element.getAttribute('aria-labelledby');
    return element.getAttribute('aria-label') ?? (by ? document.getElementById(by)?.textContent : undefined) ?? '';
  };
  const walk = (element) => {
    const style = getComputedStyle(element);
    // One without a box of its own is not visible, but what is in it is.
    const isSeen = style.display === 'contents' || element.checkVisibility({ visibilityProperty: true });
    if (element.localName === 'svg' || !isSeen) return;
    if (element.getAttribute('role') === 'img') return void lines.push('picture "' + nameOf(element).split(':')[0] + '"');
    if (['input', 'textarea', 'select'].includes(element.localName)) {
      // Behind a control of the library, for forms that are sent by the browser.
      if (element.getAttribute('aria-hidden') === 'true') return;
      const label = nameOf(element) || element.labels?.[0]?.textContent || element.placeholder;
      const value = ['checkbox', 'radio'].includes(element.type) ? (element.checked ? 'on' : 'off') : element.value;
      return void lines.push('field "' + label.trim() + '" = "' + value + '"' + (element.disabled ? ' [disabled]' : ''));
    }
    const isPart = ['section', 'nav', 'dialog'].includes(element.localName) || element.getAttribute('role') === 'table';
    if (isPart && nameOf(element)) lines.push('— ' + nameOf(element).trim().replace(/\\s+/g, ' '));
    const columns = style.gridTemplateColumns.split(' ').length;
    const isTiles = style.display === 'grid' && element.children.length > 1 && !element.matches('.table-row');
    if (isTiles && columns > 1) lines.push('in ' + columns + ' columns');
    // The hyphens of a date are elements of their own, and part of its text.
    const own = element.querySelector(':scope > .hyphen')
      ? element.textContent
      : [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join(' ');
    if (own.trim() !== '') say(element, kindOf(element), own);
    for (const child of element.children) if (!child.matches('.hyphen')) walk(child);
  };
  const roots = withFrame ? ['.top', '.nav', '.away', 'main'] : ['.connection', '.away', 'main'];
  for (const root of roots) for (const element of document.querySelectorAll(root)) walk(element);
  return lines;
}`;
