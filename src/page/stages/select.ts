/** Keeps, renames and drops members of the items, as the select of their data type says. */
import type { Selector } from '../../../sinks/select/selector.js';
import type { PageStage } from '../page-stage.js';
import { rewriteItems } from './rewrite-items.js';

/** Creates the stage; undefined without a select. */
export const selectMembers = (selector: Selector | undefined): PageStage | undefined =>
  selector && rewriteItems((items) => selector.select(items));
