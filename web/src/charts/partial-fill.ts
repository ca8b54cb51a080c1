/** Stripes of a colour: for the bar of a bucket that is not over. */

/** In pixels of the canvas; a whole number of stripes. */
const TILE_PX = 8;
const GROUND_ALPHA = 0.25;

/** Nothing behind it is seen through it. The colour itself where the browser makes no patterns. */
export function partialFill(colour: string, surface: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const scale = Math.max(1, Math.round(window.devicePixelRatio));
  const size = TILE_PX * scale;
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (!context) return colour;
  context.fillStyle = surface;
  context.fillRect(0, 0, size, size);
  context.fillStyle = colour;
  context.globalAlpha = GROUND_ALPHA;
  context.fillRect(0, 0, size, size);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2 * scale;
  context.beginPath();
  // Beyond the corners, so that the stripes of two tiles meet.
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift - scale, size + scale);
    context.lineTo(shift + size + scale, -scale);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}
