/** The sinks of the command line, by the scheme of their address. Add a new sink here. */

import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { ExtractError } from '../src/core/errors/errors.js';
import type { Notify } from '../src/core/model/notice.js';
import { usageError } from '../src/core/util/check-value.js';
import { didYouMean } from '../src/core/util/suggest.js';
import {
  type AddressOptions,
  parseAddress,
  type SinkAddress,
  type SinkEnvironment,
  schemeOf,
  withoutUserInformation,
} from './addresses/address.js';
import { sinkFrom } from './addresses/address-secrets.js';
import type { Sink } from './contract.js';
import { csv } from './csv/csv.js';
import { csvOptions, csvOptionsOf } from './csv/csv-options.js';
import { duckdbFromAddress } from './duckdb/duckdb.js';
import { duckdbPackages } from './duckdb/duckdb-client.js';
import { duckdbOptions } from './duckdb/duckdb-options.js';
import { fileOptions, fileOptionsOf } from './files/file-options.js';
import { ndjson } from './files/ndjson.js';
import { httpFromAddress, httpOptions } from './http/http.js';
import { kafkaFromAddress } from './kafka/kafka.js';
import { kafkaPackages } from './kafka/kafka-client.js';
import { kafkaOptions } from './kafka/kafka-settings.js';
import { natsFromAddress, natsOptions } from './nats/nats.js';
import { natsPackages } from './nats/nats-client.js';
import { nullSink } from './null.js';
import { parquet } from './parquet/parquet.js';
import { parquetOptions, parquetOptionsOf } from './parquet/parquet-options.js';
import { postgresFromAddress } from './postgres/postgres.js';
import { postgresPackages } from './postgres/postgres-client.js';
import { postgresOptions } from './postgres/postgres-options.js';
import { rabbitFromAddress, rabbitOptions } from './rabbitmq/rabbitmq.js';
import { rabbitPackages } from './rabbitmq/rabbitmq-client.js';
import { redisFromAddress, redisOptions } from './redis/redis.js';
import { redisPackages } from './redis/redis-client.js';
import { s3FromAddress } from './s3/s3.js';
import { s3Options } from './s3/s3-options.js';
import { fencedNote } from './servers/fences.js';
import { stdout } from './stdout.js';

export { installCommand } from './servers/load-client.js';

/** Process facilities that a sink may use. */
export interface SinkContext {
  readonly notify?: Notify;
  /** Default: standard output of the process. */
  readonly stdout?: Writable;
  /** The variables for `${NAME}` in user information and headers of an address. Absent: there are none. */
  readonly env?: SinkEnvironment;
  /** Gets each secret of the address, and each that its client finds later, such as the password in a file. */
  readonly hide?: (secret: string) => void;
}

export interface SinkEntry {
  readonly summary: string;
  /** The form of the address. */
  readonly uri: string;
  /** Further schemes of its address; the first is its name. */
  readonly schemes?: readonly string[];
  /** The part after the colon; absent: none allowed. */
  readonly target?: string;
  /** The options of its address, by name. */
  readonly addressOptions: AddressOptions;
  /** `#`: options follow this character, because the target may contain `?`. */
  readonly optionsAfter?: '#';
  /** The target is `//user:password@host`. */
  readonly isServer?: true;
  /** A user without a password in its address is a name, and no secret. */
  readonly userIsName?: true;
  /** The call that creates it in code. */
  readonly code: string;
  /** Whether it can roll back a page, and how. */
  readonly takesBack: string;
  /** How often an item arrives if a run with a state is interrupted and resumed. */
  readonly guarantee: string;
  /** How a run with a state resumes into it. */
  readonly resumes: string;
  /** The options of its factory in code, by name. */
  readonly options: Readonly<Record<string, string>>;
  /** Details for its page of the reference. */
  readonly rules?: readonly string[];
  /** The packages to install next to rxtract. */
  readonly packages?: readonly string[];
  readonly example: string;
  create(address: SinkAddress, context: SinkContext): Sink;
}

export const sinks = {
  ndjson: {
    summary: 'a file of newline-delimited JSON for each data type, published after the run has succeeded',
    uri: 'ndjson:DIR',
    target: 'a directory',
    code: 'ndjson(dir, { notify, compress, rotateBytes })',
    addressOptions: fileOptions,
    takesBack: 'yes, the file is truncated',
    guarantee: 'exactly once',
    resumes: 'the file is verified and truncated to the checkpoint',
    rules: [
      'In the name of the directory, `?` is written `%3F`, and `%` before two digits `%25`.',
      '`ndjson:-` is standard output, as `stdout:`. A directory of that name is `ndjson:./-`.',
      'With `compress` a file is one gzip member or zstd frame; what a resume adds after a cut is another frame in zstd. `zstd` needs Node 22.15, 23.8 or later.',
      'With `rotate` the files of a data type are `users-000001.ndjson`, `users-000002.ndjson` and so on. A part ends before the item that would exceed the size, so the parts are the same whatever the size of pages. All parts are published together, and parts of an earlier run are removed.',
    ],
    options: {
      notify: 'is called if a file cannot have the plain name of its data type',
      compress: '`gzip` or `zstd`',
      rotateBytes: 'the size of a part in bytes, before compression',
    },
    example: 'ndjson:out',
    create: (address, { notify, stdout: stream }) =>
      address.target === '-' && address.options.size === 0
        ? stdout(stream)
        : ndjson(folderIn(address.target), { notify, ...fileOptionsOf(address) }),
  },
  stdout: {
    summary: 'newline-delimited JSON of all data types on standard output, at the pace of the reader',
    uri: 'stdout:',
    code: 'stdout(stream)',
    addressOptions: {},
    takesBack:
      'no; a retried page continues after the items already written, or fails with `ERR_PAGE_CHANGED` if it changed',
    guarantee: 'at least once',
    resumes: 'items of the interrupted page may be written twice',
    options: { stream: 'the stream to write to; default: standard output' },
    example: 'stdout:',
    create: (_, context) => stdout(context.stdout),
  },
  null: {
    summary: 'counts items and drops them',
    uri: 'null:',
    code: 'nullSink()',
    addressOptions: {},
    takesBack: 'yes',
    guarantee: 'exactly once',
    resumes: 'the counts continue',
    options: {},
    example: 'null:',
    create: () => nullSink(),
  },
  csv: {
    summary: 'a CSV file for each data type, published after the run has succeeded',
    uri: 'csv:DIR',
    target: 'a directory',
    code: 'csv(dir, { delimiter, bom, nested, escape, notify })',
    addressOptions: csvOptions,
    takesBack: 'yes, the file is truncated',
    guarantee: 'exactly once',
    resumes: 'the file is verified and truncated to the checkpoint; the columns continue',
    rules: [
      'RFC 4180: lines end with CR LF, and cells with the delimiter, a quote or an end of line are quoted.',
      'Columns have the order in which items first have them. If a column appears after the first batch, the final file is written anew from the rows, so it is the same whatever the size of pages.',
      '`null` and a missing member are an empty cell, an empty text is `""`. Numbers keep every digit. Lists are JSON, and with `nested=json` objects too. An item that is not an object has one column, `data`.',
      'With `nested=dot`, two members that would be one column, such as `{"a.b": 1, "a": {"b": 2}}`, are an error.',
      'A text with half of a surrogate pair is written with U+FFFD, with the warning `lone-surrogate`.',
    ],
    options: {
      delimiter: 'one character',
      bom: 'a byte order mark',
      nested: '`json` or `dot`',
      escape: '`formulas`',
      notify: 'is called for lone surrogates, and if a file cannot have the plain name of its data type',
    },
    example: 'csv:out',
    create: (address, { notify }) => csv(folderIn(address.target), { notify, ...csvOptionsOf(address) }),
  },
  parquet: {
    summary: 'a Parquet file for each data type, published after the run has succeeded',
    uri: 'parquet:DIR',
    target: 'a directory',
    code: 'parquet(dir, { compression, rowGroup, nested, notify })',
    addressOptions: parquetOptions,
    takesBack: 'yes, the file is truncated',
    guarantee: 'exactly once',
    resumes: 'the staged items are verified and truncated to the checkpoint; the options may be others',
    rules: [
      'During the run items are staged as NDJSON in `.parquet.partial`. When the run has succeeded, the Parquet files are made from them, all of them before the first one gets its name.',
      'Types are those that hold all values exactly. Whole numbers are `INT64`; other numbers `DECIMAL(18, s)` or `DECIMAL(38, s)`, `s` being the most digits after a point; `DOUBLE` if 38 digits are too few and each of them is a double; else `STRING`. Values of several kinds are a `STRING` with each as it was sent, or `JSON` if objects or lists are among them.',
      'Objects are structs, lists are lists, to any depth up to 32. An object within items with more than 1,000 different members, such as one whose names are ids, is `JSON`, and so is one with an empty name. With `nested=json` all objects and lists are.',
      'Columns have the order in which items first have them. `null` and a missing member are null; a column with nothing else is a `STRING`. An item that is not an object has one column, `data`, and so has a file without columns.',
      'Of several members of one name the last one counts. Two names that differ in halves of surrogate pairs only are an error, and so are more than 20,000 columns.',
      'A text with half of a surrogate pair is written with U+FFFD, with the warning `lone-surrogate`. In `JSON` it keeps its escape.',
    ],
    options: {
      compression: '`snappy`, `zstd`, `gzip` or `none`',
      rowGroup: 'the most items of a row group',
      nested: '`structs` or `json`',
      notify: 'receives the notices of file names and lone surrogates',
    },
    example: 'parquet:out',
    create: (address, { notify }) => parquet(folderIn(address.target), { notify, ...parquetOptionsOf(address) }),
  },
  duckdb: {
    summary: 'tables of a DuckDB database, one for each data type, published in one transaction',
    uri: 'duckdb:FILE',
    target: 'a file',
    addressOptions: duckdbOptions,
    code: "duckdb({ file: 'out.db' })",
    takesBack: 'yes',
    guarantee: 'exactly once',
    resumes: 'the staged rows are verified and truncated to the checkpoint; the columns continue',
    options: {},
    rules: [
      'The table of a data type has its name: `users` is the table `users`. DuckDB ignores the case of names, so `users` and `Users` would be one table, which is an error.',
      'A table has a column for each text, number, boolean and list, also within objects: `address.city` is `address__city`; an item that is no object is in the column `value`. Two members that would be one column, such as `a__b` and `a.b`, end the run.',
      'DuckDB ignores the case of names: with `id` and `ID` in one run, the second one is the column `ID_1`, with the notice `column-case`. Each keeps its column in later runs, also if only one of them comes; a member of the key has its own name.',
      'Types: `VARCHAR`, `BOOLEAN`, `BIGINT`, `JSON` for lists. Integers beyond 64 bits are `HUGEINT`. Numbers with a fraction are `DECIMAL(18,s)`, or `DECIMAL(38,s)` if they have more digits; `DOUBLE` if not even 38 digits are enough and no digit is lost; else `VARCHAR` with their text. So each digit is kept.',
      'A column is added when it first has a value, widened when a value does not fit (numbers beside texts become `VARCHAR`, a list in a column of numbers makes it `JSON`; a column of texts holds lists as their JSON), and never narrowed or dropped.',
      'With `columns=item` a table has one column, `item`, with the JSON of each item: every character of it.',
      '`null`, an absent member and an empty object are no value. Half of a surrogate pair becomes U+FFFD, with the warning `lone-surrogate`.',
      'Rows wait in `FILE.rxtract/`, a folder beside the database. At the end of the run one transaction loads all tables. A run that fails publishes nothing. With a state the name of the run is stored in `rxtract.published` by the same transaction, so that no resume publishes twice, and no process that was suspended before it began; a run that begins seven days later removes it.',
      'The database is open during the run, and DuckDB lets one process open a file that is written: another process gets an error, as does a run into a file that another process has open, before its first request. So do two sinks of one run, also with other tables or schemas: give all data types of a database one address. A file of another kind, such as `data.csv`, is an error too.',
      '`mode=replace` deletes the rows of an existing table and inserts the new ones: its constraints, indexes and views stay. `mode=append` inserts. `mode=merge` needs no index; of several items with one key the last one counts, and an item without the key is refused.',
      'With `mode=merge` an item replaces the row: each column that an item of any run has filled is set, to NULL where the item has nothing. `rxtract.columns` in the database records these columns and their members, in every mode with typed columns. Other columns keep their values. In a table of which nothing is recorded, of an earlier version or your own, a column counts as one of items once an item has a value for it; the notice `columns-kept` names the others.',
      'An existing table is verified before the first request. Columns of other types, such as `DATE` or `VARCHAR[]`, stay as they are, and so do columns with an index or a constraint: values are converted as `CAST` does, and one that does not fit is refused. A required column that has a default gets it where an item has no value.',
      'With `create=false` nothing is created or widened but `rxtract.columns`: an item that needs it is refused at its page.',
      'A refused item ends the run, and the error names the table, the column and the place of the item. With `--on-item-error` each page is tried before it is staged, and refused items are left out: values that do not fit, required columns, `CHECK`, and `UNIQUE` or `PRIMARY KEY` (with `mode=append` also the values of rows that are there), whose values are then kept in memory. Foreign keys, unique indexes, and with `mode=merge` other unique columns than the key count when the tables are published: there they end the run, as do rows that an earlier process has staged without `--on-item-error`.',
    ],
    packages: duckdbPackages,
    example: 'duckdb:out.db',
    create: (address, { notify }) => duckdbFromAddress(folderIn(address.target), address, notify),
  },
  http: {
    summary: 'requests with the items as NDJSON or a JSON array',
    uri: 'https://[USER:PASSWORD@]HOST[:PORT]/PATH#format=json',
    schemes: ['http', 'https'],
    isServer: true,
    optionsAfter: '#',
    target: 'a server',
    addressOptions: httpOptions,
    code: "http({ url: 'https://example.com/items', format: 'json', headers: { 'X-Key': key } })",
    takesBack: 'no',
    guarantee: 'at least once; with `idempotent=true` effectively once',
    resumes:
      'the requests of the interrupted page are sent again, with the same `Idempotency-Key` if their items are the same',
    options: {},
    rules: [
      'Options follow `#`, because `?` begins the query. Path and query may contain `{dataType}` and `{job}`.',
      'A page is cut into requests of `items` items and `bytes` bytes at the most, counted from its beginning, so a page that is sent again has the same requests. Each has a header `Idempotency-Key` of the page, the place, the count and the hash of the body.',
      'Receivers rarely remember keys, so the guarantee is at least once. With `idempotent=true` you state that yours does.',
      'The statuses 408, 425, 429, 500, 502, 503 and 504 and failed connections are tried again for a minute, after `Retry-After` if it is sent and at most 10 minutes. Any other status but 2xx ends the run; the error has the places of the items of its request. Redirects are not followed.',
      'The statuses 400, 413 and 422 refuse items. With `--on-item-error skip` or `dead-letter=URI` a request is divided in halves until the items are found. Without it the error has the places of the items of the request, because a resume would send items of halves twice; with `items=1` each item has a request of its own.',
      `USER and PASSWORD are sent as \`Authorization: Basic\`. Headers take secrets from the environment: \`header.Authorization=Bearer%20\${TOKEN}\`.`,
      'Before its first request to the API, a run opens a connection to the receiver and closes it. `rxtract validate --connect` sends `OPTIONS`.',
    ],
    example: 'https://example.com/items#format=json',
    create: (address) => httpFromAddress(address),
  },
  kafka: {
    summary: 'messages of Apache Kafka, on request each page and its position in one transaction',
    uri: 'kafka://[USER:PASSWORD@]HOST:PORT[,HOST:PORT]/TOPIC',
    schemes: ['kafka', 'kafkas'],
    isServer: true,
    target: 'a server',
    addressOptions: kafkaOptions,
    code: "kafka({ servers: 'localhost:9092', topic: 'items', key: 'item.id', transactions: true })",
    takesBack: 'no; with `transactions=true` yes',
    guarantee: 'at least once; with `transactions=true` exactly once for readers with `isolation.level=read_committed`',
    resumes:
      'items of the interrupted page may be there twice, with the same header `rxtract-id`; with `transactions=true` the position after the last page is stored with its items',
    options: {},
    rules: [
      '`kafkas` uses TLS. Kafka 3.0 or newer is needed; Kafka 4 is recommended for transactions, because older versions accept late messages of a transaction that has ended.',
      'The topic may contain `{dataType}`, `{job}` and `{item.PATH}`. In their values each byte that is no ASCII letter, digit, `_` or `-` is written `.` and its two hexadecimal digits.',
      'The partition of a message follows from its key, by the hash of the Java client. Without `key` it follows from the job, and the message has no key. The order of items holds in each partition: for all items of a job without `key`, for those of one key with it.',
      'A message is the item as compact JSON, or its CloudEvent with the header `content-type`. Without transactions it has the header `rxtract-id`, the message id: items that arrive again have the same one.',
      'Without transactions the producer is idempotent and waits for all replicas in sync: what it sends again after a broken connection is stored once. Only a resume can repeat items, at most those of one page for each job under way.',
      'With `transactions=true` a page is in memory until its transaction, 256 MiB at the most. Its position is a message in the topic of `positions`, which is compacted; it is removed at the end. The transactional id begins with `rxtract-`.',
      `With transactions: ${fencedNote} That is a message in the topic of positions for each run with a state, which a later run removes.`,
      'A killed process leaves its transaction open. Readers with `read_committed` wait for its end: until the resume, or for `timeout`.',
      'A missing topic is made with `partitions` and `replication`. An existing topic is never changed.',
      'Rights: `Write` and `Describe` for the topic, `Create` for a missing one; with transactions also `Read` and `Write` for the topic of positions, and `Describe` and `Write` for transactional ids that begin with `rxtract-`.',
      'Refused items: one that is larger than `max.message.bytes` of its topic, 1 MiB by default, compressed if `compression` is set; one whose topic has no valid name; one without a key.',
    ],
    packages: kafkaPackages,
    example: 'kafka://localhost:9092/items-{dataType}?key=item.id',
    create: (address) => kafkaFromAddress(address),
  },
  nats: {
    summary: 'messages of NATS JetStream, with ids that the stream drops if they arrive again',
    uri: 'nats://[USER:PASSWORD@]HOST:PORT/SUBJECT?stream=NAME',
    isServer: true,
    target: 'a server',
    addressOptions: natsOptions,
    code: "nats({ servers: 'localhost:4222', subject: 'items.{dataType}', stream: 'ITEMS' })",
    takesBack: 'no; with `transactions=true` yes',
    guarantee: 'effectively once; with `transactions=true` exactly once',
    resumes:
      'items that arrive again have the same id, which the stream drops within its `duplicate_window`; with `transactions=true` the position after the last page is stored with its items',
    options: {},
    rules: [
      'The subject may contain `{dataType}`, `{job}` and `{item.PATH}`. In their values all but ASCII letters, digits, `-` and `_` is percent-encoded, so that a value is always one token.',
      'Several hosts of a cluster are separated by commas. A user alone is a token. If the server requires TLS, the connection uses it.',
      'A message is the item as compact JSON, or its CloudEvent. Its header `Nats-Msg-Id` is the message id.',
      'The window is read from the stream: 2 minutes, unless it has another `duplicate_window`. A run that is resumed later warns with `window-passed`. For longer interruptions create the stream with a longer window, or use transactions.',
      'A missing stream is created with the subject of the address, storage in files and no limits. An existing stream is never changed: if it lacks the subject, that is an error.',
      'With `transactions=true` a page is one atomic batch, so it has 999 items at the most. The position is a message on a subject below `rxtract.STREAM.`, which is one of the subjects of the stream too. These messages are removed at the end. Consumers without a filter receive them.',
      `With transactions: ${fencedNote} That is a message \`rxtract.STREAM.*.RUN.ended\` for each run with a state, which a later run removes.`,
      'What a server acknowledges survives its end, but not always a power cut: that needs `sync_interval: always`, or replicas. A run with transactions that finds acknowledged pages missing ends with an error, and `--resume` sends them again.',
      'A stream whose limits (`max_age`, `max_bytes`, `max_msgs`) are reached drops its oldest messages, also those of the run, unless it has `discard: new`: then the run ends with an error.',
      'Messages larger than `max_payload` of the server, 1 MiB by default, are an error that names the item.',
    ],
    packages: natsPackages,
    example: 'nats://localhost:4222/items.{dataType}?stream=ITEMS',
    create: (address) => natsFromAddress(address),
  },
  postgres: {
    summary: 'tables of PostgreSQL, one for each data type, published in one transaction',
    uri: 'postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB',
    schemes: ['postgres', 'postgresql'],
    isServer: true,
    userIsName: true,
    target: 'a server',
    addressOptions: postgresOptions,
    code: "postgres({ server: 'localhost:5432', database: 'db', schema: 'public' })",
    takesBack: 'yes',
    guarantee: 'exactly once',
    resumes:
      'the position after the last page is stored with its rows, in the tables `rxtract_runs` and `rxtract_lanes`',
    options: {},
    rules: [
      'The table of a data type has its name, at most 63 bytes, as it is: `users` is the table `users`, `Users` needs quotes in SQL. With `columns=item` it has one column, `item`, with the JSON of each item.',
      'With `columns=typed` it has a column for each text, number, boolean and list, also within objects: `address.city` is `address__city`; an item that is no object is in the column `value`. The types are `text`, `bigint`, `numeric`, `boolean`, and that of `type` for lists. A column is added when it first has a value, widened when a value does not fit (`bigint` to `numeric`, numbers beside texts to `text`, a list in a column of numbers to JSON; a column of texts holds lists as their JSON), and never narrowed or dropped. Names of more than 63 bytes are shortened, with a hash. Two members that would be one column, such as `a__b` and `a.b`, end the run.',
      'A table has no order: rows are mostly, not always, found in the order of the items. Sort by a member.',
      'Rows wait in a staging table `rxtract_...` of the same schema, so the user needs the right to create tables there. At the end of the run all tables are published in one transaction: readers see the rows of the earlier run, then all of this one. A run that fails publishes nothing.',
      '`mode=replace` deletes the rows of an existing table and inserts the new ones: its indexes, rights and views stay, readers do not wait. `mode=append` inserts. `mode=merge` needs a unique index on the key, which a new table gets; of several items with one key the last one counts, and an item without the key is refused.',
      'With `mode=merge` an item replaces the row. With `columns=typed` each column that an item of any run has filled is set, to NULL where the item has nothing; a required column that has a default gets it. `rxtract_columns` in the schema records these columns, in every mode. Other columns keep their values. In a table of which nothing is recorded, of an earlier version or your own, a column counts as one of items once an item has a value for it; the notice `columns-kept` names the others.',
      'With `mode=append&log=true` each page is a transaction in the table itself. A run that begins anew in the place of an unfinished one does not remove its pages.',
      '`jsonb` does not keep the order of members, keeps the last of several equal ones, and cannot hold `\\u0000` or half a surrogate pair: such an item is refused, with its place. `type=json` accepts all items as they are.',
      'An existing table is verified before the first request: its column `item`, other columns that need a value, and the rights of the user. Only `columns=typed` changes it: it adds and widens columns, in the transaction that publishes; with `create=false`, or if the user does not own the table, such an item is refused. Columns of other types stay as they are: values are converted as `COPY` does.',
      'A refused item ends the run, or is left out with `--on-item-error`: its page is tried in its transaction, up to a savepoint, before it counts. The staging table then has the `CHECK` constraints and unique indexes of the table. With `log=true` all constraints count at once; otherwise foreign keys, unique values of rows that were there before, and a `CHECK` on a column that no item of the run fills end the run when the tables are published.',
      `${fencedNote} That is a row of \`rxtract_runs\` for each run with a state; a later run removes it then. Staging of a run that was replaced is removed, without a state also when it is seven days old. A run that begins waits up to 45 s for an older process that stores or publishes; after 30 s the server ends the transaction of a suspended one.`,
      'A connection that breaks is opened again for one minute, and the stored position shows whether a page has arrived. Pages of more than 16 MiB are sent in parts within their transaction; if its connection breaks, a run with a state requests the page again.',
      'Without USER or PASSWORD the variables `PGUSER` and `PGPASSWORD` and the file `~/.pgpass` (or `PGPASSFILE`) are used. A pooler must keep a session for each connection (PgBouncer: `pool_mode=session`).',
    ],
    packages: postgresPackages,
    example: 'postgres://localhost:5432/db?mode=append',
    create: (address, { env, notify }) => postgresFromAddress(address, { env, notify }),
  },
  amqp: {
    summary: 'messages of RabbitMQ, persistent and confirmed, each with an id',
    uri: 'amqp://[USER[:PASSWORD]@]HOST[:PORT]/VHOST?queue=NAME',
    schemes: ['amqp', 'amqps'],
    isServer: true,
    userIsName: true,
    target: 'a server',
    addressOptions: rabbitOptions,
    code: "rabbitmq({ servers: 'localhost:5672', queue: 'items' })",
    takesBack: 'no',
    guarantee: 'at least once',
    resumes: 'items of the interrupted page may arrive twice, with the same `message-id` if they are the same',
    options: {},
    rules: [
      '`amqps` uses TLS. The virtual host is percent-encoded: `%2F` is the default, as is none. Several hosts of a cluster are separated by commas. Without user information, user and password are `guest`, which RabbitMQ accepts from its own machine only.',
      'Either `queue=NAME`, or `exchange=NAME&key=KEY`. A missing queue is created: durable, of the type quorum. Existing queues are never changed. An exchange is never created.',
      'Names of queues and keys have 255 bytes at the most. In values of a key, `.` becomes `%2E` and `%` becomes `%25`, so that a value is always one word of it. Values of a queue name are written as they are.',
      'A message is the item as compact JSON (`application/json`), or its CloudEvent (`application/cloudevents+json`). It is persistent, and its property `message-id` is the message id.',
      'A page ends when the broker has confirmed all of its messages: then a durable queue has them on its disk, a quorum queue on the disks of most of its members. Up to 10,000 messages or 8 MiB are published ahead of their confirms.',
      'A connection that breaks is opened again for one minute, and messages without a confirm are sent again in their order, so some may arrive twice. Consumers recognize them by the `message-id`.',
      'A message that no queue gets is an error, and not lost: messages are `mandatory`.',
      'A broker with an alarm for disk or memory, and a full queue with `x-overflow: reject-publish`, are waited for, `wait` seconds since the last confirm; the notice `sink-blocked` says so. An alarm before the first request is an error at once. Messages that a full queue has refused may change places with those that it accepted meanwhile.',
      'The broker says that a message is too large (`max_message_size`) by closing the channel: the error names the item. `--on-item-error` leaves out such items, those with too long a name, and those whose own key leads to no queue.',
      'The permission `write` is needed for the exchange, with `queue=NAME` for `amq.default`, and `configure` for queues to create.',
    ],
    packages: rabbitPackages,
    example: 'amqp://localhost:5672/?queue={dataType}',
    create: (address, { notify }) => rabbitFromAddress(address, notify),
  },
  redis: {
    summary: 'entries of Redis Streams, each page and its position in one transaction',
    uri: 'redis://[USER:PASSWORD@]HOST:PORT/DB?stream=KEY',
    schemes: ['redis', 'rediss'],
    isServer: true,
    target: 'a server',
    addressOptions: redisOptions,
    code: "redis({ server: 'localhost:6379', database: 0, stream: 'items' })",
    takesBack: 'yes; with `transactions=false` no',
    guarantee: 'exactly once; with `transactions=false` at least once',
    resumes: 'the position after the last page is stored with its items, in a hash `rxtract:...:RUN`',
    options: {},
    rules: [
      'An entry has one field, `data`: the item as compact JSON, or its CloudEvent.',
      'In the key of a stream, values are written as they are: Redis gives no character of a key a meaning.',
      '`rediss` uses TLS. The database is 0 if it is left out. A user without a password is written `USER:@`.',
      'A page is in memory until its transaction, 256 MiB at the most.',
      `${fencedNote} That is a hash for each run with a state, which expires.`,
      'What Redis acknowledges is as safe as its configuration makes it. Only `appendonly yes` with `appendfsync always` keeps all of it through a power cut of the server. With `everysec`, the default, up to a second can be lost, and without `appendonly` all since the last snapshot. Items and position are lost together: a run that is still going ends with an error, and `--resume` sends the lost pages again. What is lost after the end of a run is lost.',
      'A connection that breaks is opened again for one minute. With transactions, the stored position shows whether a page has arrived; without them its entries may arrive twice.',
      'Redis Cluster is not supported: the keys of a transaction are in different slots.',
    ],
    packages: redisPackages,
    example: 'redis://localhost:6379/0?stream={dataType}',
    create: (address) => redisFromAddress(address),
  },
  s3: {
    summary: 'an object for each data type in S3 or another object store, visible after the run has succeeded',
    uri: 's3://BUCKET/PREFIX',
    isServer: true,
    target: 'a bucket',
    addressOptions: s3Options,
    code: "s3({ bucket: 'lake', prefix: 'raw', region: 'eu-west-1' })",
    takesBack: 'yes, the staged file is truncated',
    guarantee: 'exactly once',
    resumes:
      'the staged file is verified and truncated to the checkpoint; parts that the object store has are not sent again',
    options: {},
    rules: [
      'The object of a data type is `PREFIX/users.ndjson`, with the name that its file would have. An object of that name is replaced as a whole.',
      'The credentials are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN`; or `ACCESS_KEY:SECRET_KEY@` before the bucket, with variables. Profiles and roles of machines are not read: `aws configure export-credentials --format env` prints their credentials.',
      'With `endpoint` any store with the API of S3 is used. The bucket is in the path then. Of AWS it is in the host name.',
      'Objects are staged as files, so the disk needs as much room as they take: in the folder of the state, so that a resume on another machine needs that folder only, or in `staging`. They are removed when the run has succeeded.',
      'Parts of 8 MiB of an NDJSON object are sent while the run continues, up to four at once. From the part 5,001 on they are larger, so that 10,000 parts hold 5 TiB. CSV, Parquet, and NDJSON that is compressed in a run without a state, are sent at the end. An object of less than 8 MiB is one request.',
      'At the end all parts are sent first, and then the objects become visible one after the other. An interrupted end continues with `--resume`: objects of the run, which have its name in their metadata (`rxtract-run`), are not sent again.',
      'The store verifies each part: with TLS by its `Content-MD5`, without TLS by the SHA-256 in its signature. Failed connections and the statuses 408, 425, 429, 500, 502, 503 and 504 are tried again for a minute, after `Retry-After` if it is sent and at most 10 minutes. A part that fails longer is sent at the end. An upload that the store has lost is begun again from the staged file.',
      'Before its first request to the API, a run begins an upload of `PREFIX/rxtract-check` and aborts it: a missing bucket, wrong keys, a wrong region and a missing right end the run there.',
      'The right `s3:PutObject` is needed, and `s3:AbortMultipartUpload` to remove uploads. `s3:GetObject` is needed to find an earlier output, `s3:ListMultipartUploadParts` to continue an upload.',
      'A run that fails without a state aborts its uploads and removes its files. With a state both stay for `--resume`; a run that begins anew in its place removes them. Uploads of a killed run without a state are removed by the next run after seven days; a rule of the bucket (`AbortIncompleteMultipartUpload`) does so without it.',
    ],
    example: 's3://lake/raw?region=eu-west-1',
    create: (address, { env, notify }) => s3FromAddress(address, { env, notify }),
  },
} satisfies Record<string, SinkEntry>;

/**
 * Creates the sink of an address such as `ndjson:out`: a scheme before the first colon, a target, and options
 * `?name=value`. Opens nothing yet. Throws ERR_USAGE with the known addresses and the nearest scheme or option.
 */
export function sinkFromUri(uri: string, context: SinkContext = {}): Sink {
  const scheme = schemeOf(uri);
  const entry = entryOf(scheme ?? uri);
  if (entry === undefined) {
    const message = `unknown sink "${withoutUserInformation(uri)}": expected ${forms()}${hint(uri, scheme ?? uri)}`;
    throw usageError(message).at({ remedy: '`rxtract sinks` lists them, with their options.' });
  }
  try {
    return createSink(uri, scheme, entry, context);
  } catch (thrown) {
    const remedy = `\`rxtract help ${nameOf(entry)}\` describes this address and its options.`;
    throw thrown instanceof ExtractError && thrown.code === 'ERR_USAGE' ? thrown.at({ remedy }) : thrown;
  }
}

function createSink(uri: string, scheme: string | undefined, entry: SinkEntry, context: SinkContext): Sink {
  if (scheme === undefined) throw usageError(`"${uri}" is not a sink address: expected ${entry.uri}, with its colon`);
  const { addressOptions, optionsAfter = '?', isServer = false, userIsName = false, target, example } = entry;
  const address = parseAddress(uri, { options: addressOptions, optionsAfter, isServer, userIsName }, context);
  if (target === undefined && address.target !== '')
    throw usageError(`unexpected "${address.target}" after ${entry.uri}`);
  if (target !== undefined && address.target === '') throw usageError(`${scheme}: needs ${target}, as in ${example}`);
  if (address.target === '-' && writesFiles(entry) && entry !== sinks.ndjson) throw onlyIntoFiles(scheme);
  return sinkFrom(address, (each) => entry.create(each, context));
}

const writesFiles = ({ uri }: SinkEntry): boolean => uri.endsWith(':DIR');

const onlyIntoFiles = (scheme: string) =>
  usageError(
    `${scheme}:- would be standard output, which only ndjson:- can be. A directory of that name is ${scheme}:./-`,
  );

/** Whether the sink of an address has a client library, which makes objects for each item. */
export const hasClient = (uri: string): boolean => entryOf(schemeOf(uri) ?? '')?.packages !== undefined;

/** The directory of an address that writes files into one, such as `ndjson:out`; undefined for all other addresses. */
export function folderOf(uri: string): string | undefined {
  const folder = pathIn(uri, writesFiles);
  return folder === '-' ? undefined : folder;
}

/** The path of an address whose entry is of this kind; undefined for other addresses. */
function pathIn(uri: string, isKind: (entry: SinkEntry) => boolean): string | undefined {
  const entry = entryOf(schemeOf(uri) ?? '');
  const [, target] = /^[^:]*:([^?]*)/.exec(uri) ?? [];
  return entry === undefined || !isKind(entry) || target === undefined ? undefined : folderIn(target);
}

/**
 * Where an address writes: equal for all spellings of one directory or file, if the names of what is written there are
 * equal too. Two sinks of a run cannot write to one place.
 */
export function outputPlace(uri: string): string {
  const scheme = schemeOf(uri) ?? '';
  const path = folderOf(uri) ?? databaseOf(uri);
  if (path === undefined) return uri;
  const option = (name: string) => new RegExp(`[?&]${name}=([^&]*)`).exec(uri)?.[1] ?? '';
  return [scheme, resolve(path), option('compress'), option('rotate') === ''].join(' ');
}

/** The file of an address of a database, in which one sink of a run can write; undefined for other addresses. */
export const databaseOf = (uri: string): string | undefined => pathIn(uri, (entry) => entry === sinks.duckdb);

/** The entry of a scheme. */
function entryOf(scheme: string): SinkEntry | undefined {
  const all: readonly (readonly [string, SinkEntry])[] = Object.entries(sinks);
  return all.find(([name, { schemes = [] }]) => name === scheme || schemes.includes(scheme))?.[1];
}

const nameOf = (entry: SinkEntry): string => Object.entries(sinks).find(([, each]) => each === entry)?.[0] ?? '';

/** In the name of a file or directory `%3F` is a question mark and `%25` a percent sign; all else is literal. */
const folderIn = (target: string): string =>
  target.replace(/%(3f|25)/gi, (_, digits: string) => (digits === '25' ? '%' : '?'));

/** Names that other tools have for the same destinations. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    rabbitmq: 'amqp',
    rabbit: 'amqp',
    rabbitmqs: 'amqps',
    jetstream: 'nats',
    webhook: 'https',
    pg: 'postgres',
    psql: 'postgres',
    pgsql: 'postgres',
    file: 'ndjson',
    json: 'ndjson',
    jsonl: 'ndjson',
  }),
);

function hint(uri: string, scheme: string): string {
  if (uri === '') return '';
  if (uri === '-') return '; did you mean "stdout:"?';
  const other = otherNames.get(scheme);
  if (other !== undefined) return `; did you mean "${other}:"?`;
  const isPath = !uri.includes(':') || /^[A-Za-z]:[\\/]/.test(uri);
  return didYouMean(scheme, Object.keys(sinks)) || (isPath ? `; did you mean "ndjson:${uri}"?` : '');
}

/** The addresses without their details. */
function forms(): string {
  const uris = Object.values(sinks).map(({ uri }) => uri.replace(/\/\/.*/, ''));
  return `${uris.slice(0, -1).join(', ')} or ${uris.at(-1)}`;
}
