/** The range of an overview whose address names none. */
import type { RangeName } from '../../range/range.ts';

export const RANGE_DEFAULT: RangeName = '24h';
