/** One word that completion offers. */
export interface Candidate {
  readonly word: string;
  /** What it means. */
  readonly about?: string;
}
