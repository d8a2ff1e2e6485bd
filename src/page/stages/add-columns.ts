/** Adds the columns of a job after the members of each item. */
import type { ExactObject } from '../../core/json/exact.js';
import { appendMembers } from '../append-members.js';
import type { PageStage } from '../page-stage.js';
import { rewriteItems } from './rewrite-items.js';

/** Creates the stage; undefined without columns. Throws the errors of `appendMembers`. */
export const addColumns = (columns: ExactObject | undefined): PageStage | undefined =>
  columns === undefined || columns.size === 0 ? undefined : rewriteItems((items) => appendMembers(items, columns));
