/** The saved views of this browser. */
import { Kept } from './preference.ts';
import { type SavedView, viewsIn } from './saved-views.ts';

export const savedViews = new Kept<readonly SavedView[]>('views', [], viewsIn, JSON.stringify);
