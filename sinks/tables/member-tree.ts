/** The members of items as a tree that grows. Most items have the same order, so the next member is found at once. */
import { afterName, afterString, stringAt } from '../../src/core/json/byte-steps.js';

/** A member of items, or of a value in them, with what its table knows of it. */
export type TreeMember<Own> = Own & {
  readonly path: readonly string[];
  /** Its name as it was first written, with its quotes. */
  readonly raw: Buffer;
  /** In the order of first appearance. */
  readonly children: TreeMember<Own>[];
  readonly byName: Map<string, TreeMember<Own>>;
  /** Its place among the children of its parent. */
  readonly index: number;
  /** Where the next member is expected among its children. */
  next: number;
};

/** Finds and adds members. `create`: what the table knows of a new one. */
export class MemberTree<Own> {
  readonly root: TreeMember<Own>;
  /** The position of the value of the member that `memberAt` returned last. */
  value = 0;
  readonly #create: () => Own;

  constructor(create: () => Own) {
    this.#create = create;
    this.root = this.#nodeOf([], Buffer.alloc(0), 0);
  }

  /** The member whose name begins at a position; sets `value`. */
  memberAt(source: Buffer, at: number, parent: TreeMember<Own>): TreeMember<Own> {
    let member = parent.children[parent.next] ?? parent.children[0];
    let value = member === undefined ? -1 : afterName(source, at, member.raw);
    if (member === undefined || value < 0) {
      value = afterString(source, at) + 1;
      member = this.named(parent, stringAt(source, at, value - 1));
    }
    parent.next = member.index + 1;
    this.value = value;
    return member;
  }

  named(parent: TreeMember<Own>, name: string): TreeMember<Own> {
    const known = parent.byName.get(name);
    if (known !== undefined) return known;
    const member = this.#nodeOf([...parent.path, name], Buffer.from(JSON.stringify(name)), parent.children.length);
    parent.byName.set(name, member);
    parent.children.push(member);
    return member;
  }

  #nodeOf(path: readonly string[], raw: Buffer, index: number): TreeMember<Own> {
    return { path, raw, index, children: [], byName: new Map(), next: 0, ...this.#create() };
  }
}
