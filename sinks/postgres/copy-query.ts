/**
 * A query of `pg` that is a statement `COPY ... FROM STDIN` with its data, and statements after it: one round trip, as
 * the data does not wait until the server is ready for it. The messages are in "Message Formats" of PostgreSQL.
 */

/** What is used of the connection below a client of `pg` 8. */
export interface CopyConnection {
  /** Sends a text of statements, which are one transaction. */
  query(text: string): void;
  readonly stream: CopyStream;
}

interface CopyStream {
  cork(): void;
  uncork(): void;
  /** False: wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Statements that begin with `COPY`, and the data of that one. */
export interface CopyStatement {
  readonly text: string;
  readonly chunks: Iterable<Uint8Array>;
}

const [copyData, copyDone] = [0x64, 0x63];

/** A message without content. */
const doneMessage = headOf(copyDone, 0);

/** A client calls its functions. A failure ends all statements, and the server rolls back. */
export class CopyQuery {
  /** Settles with the last statement. */
  readonly done: Promise<void>;
  readonly #text: string;
  readonly #chunks: Iterator<Uint8Array>;
  #resolve: () => void = () => {};
  #reject: (thrown: unknown) => void = () => {};
  /** The server ignores what it gets of the data now. */
  #isOver = false;

  constructor({ text, chunks }: CopyStatement) {
    this.#text = text;
    this.#chunks = chunks[Symbol.iterator]();
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: CopyConnection): void {
    connection.query(this.#text);
    this.#send(connection.stream);
  }

  /** Sends until the socket is full, and then when it is empty. */
  #send(stream: CopyStream): void {
    let isFull = false;
    while (!isFull && !this.#isOver) {
      const { value, done } = this.#chunks.next();
      if (done === true) {
        stream.write(doneMessage);
        return;
      }
      stream.cork();
      stream.write(headOf(copyData, value.length));
      isFull = !stream.write(value);
      stream.uncork();
    }
    if (isFull) stream.once('drain', () => this.#send(stream));
  }

  handleError(thrown: unknown): void {
    this.#isOver = true;
    this.#reject(thrown);
  }

  handleReadyForQuery(): void {
    this.#isOver = true;
    this.#resolve();
  }

  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
}

/** The type of a message, and its length without the type. */
function headOf(type: number, length: number): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(length + 4, 1);
  return head;
}
