/** Colours that tell something by themselves stand out of what is behind them, in both themes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const TOKENS = readFileSync('web/src/styles/tokens.css', 'utf8');

function tokenOf(name: string): readonly [light: string, dark: string] {
  const [, light = '', dark = ''] = new RegExp(`${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS) ?? [];
  assert.ok(light !== '' && dark !== '', name);
  return [light, dark];
}

/** Relative luminance as WCAG 2.1 has it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('the hatch of a node that is gone is seen on its lane', () => {
  const hatch = tokenOf('--hatch');
  for (const ground of ['--raised', '--surface'])
    for (const [theme, behind] of tokenOf(ground).entries()) {
      const [more, less] = [luminance(hatch[theme] ?? ''), luminance(behind)].sort((a, b) => b - a) as [number, number];
      const contrast = (more + 0.05) / (less + 0.05);
      assert.ok(contrast >= 3, `${hatch[theme]} on ${behind}: ${contrast.toFixed(2)}`);
    }
});
