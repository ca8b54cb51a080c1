/** How wide texts are in the page's fonts, without a look at the page for each of them. */

/** Font → widths of texts in it. */
const widths = new Map<string, (text: string) => number>();

/** `font`: as a computed style has it. Pixels of a text in it: the sum of its characters. */
export function textWidths(font: string): (text: string) => number {
  const widthOf = widths.get(font) ?? measured(font);
  widths.set(font, widthOf);
  return widthOf;
}

function measured(font: string): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = font;
  const signs = new Map<string, number>();
  return (text) => {
    let sum = 0;
    for (const sign of text) {
      const px = signs.get(sign) ?? context?.measureText(sign).width ?? 0;
      signs.set(sign, px);
      sum += px;
    }
    return sum;
  };
}

/** The characters of ids, of words and of spans. */
const SIGNS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).concat('…', '–', '\u00a0');
let ofPage: ((text: string) => number) | undefined;

/**
 * Pixels of a text in the page's own font, which may not be at hand where `textWidths` measures. The page is laid out once,
 * at the first call.
 */
export function pageTextWidths(): (text: string) => number {
  ofPage ??= measuredOnPage();
  return ofPage;
}

function measuredOnPage(): (text: string) => number {
  const line = document.createElement('div');
  line.style.cssText = 'position: absolute; visibility: hidden; white-space: pre';
  const places = SIGNS.map((sign) => {
    const place = document.createElement('span');
    place.textContent = sign;
    return place;
  });
  line.append(...places);
  document.body.append(line);
  const signs = new Map(places.map((place, i) => [SIGNS[i] as string, place.getBoundingClientRect().width]));
  line.remove();
  // Of another alphabet they are about as wide as a capital.
  const other = signs.get('M') ?? 0;
  return (text) => Array.from(text).reduce((sum, sign) => sum + (signs.get(sign) ?? other), 0);
}
