/** Errors and notices as text: what failed, where, and in which configuration. */
import { ExtractError, type Problem } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import { padEnd } from './cells.js';
import { counted } from './format.js';

/** The message of a notice after its place, such as `users, page 2: ...` or `csv:out: ...`. */
export function placed({ sink, job, page, message }: Notice): string {
  const pageText = page === undefined ? undefined : `page ${page + 1}`;
  const place = [sink, job, pageText].filter((each) => each !== undefined).join(', ');
  return place === '' || message.startsWith(`${job}: `) ? message : `${place}: ${message}`;
}

/** What failed, then where, a line each. */
export function describeError({ message, where, problems, code }: ExtractError): readonly string[] {
  const place = {
    sink: where.sink,
    job: where.job,
    page: where.page === undefined ? undefined : String(where.page + 1),
    request: where.request,
    offset: where.offset === undefined ? undefined : `byte ${where.offset}`,
    kept: where.kept === undefined ? undefined : 'items of this page stay in the output, because it cannot roll back',
    warning: code === 'ERR_STRICT' && problems.length === 1 ? problems[0]?.path : undefined,
    code,
  };
  const lines = Object.entries(place).flatMap(([name, value]) =>
    value === undefined ? [] : [`${padEnd(name, 'request'.length)}  ${value}`],
  );
  const shown = [message, ...message.split('\n')];
  return [
    ...message.split('\n'),
    ...problems.filter((each) => !shown.includes(each.message) && !shown.includes(problemLine(each))).map(problemLine),
    ...lines,
  ];
}

const problemLine = ({ path, message }: Problem): string => (path === '' ? message : `${path}: ${message}`);

/** Runs `check`; errors that list problems then begin with the name of the configuration. */
export async function prepare<T>(label: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (thrown) {
    if (!(thrown instanceof ExtractError && isOfConfiguration(thrown))) throw thrown;
    const { code, message, problems, cause } = thrown;
    const first = problems.length === 0 ? message : counted(problems.length, 'problem');
    throw new ExtractError(code, `${label}: ${first}`, { problems, cause });
  }
}

const isOfConfiguration = ({ code, problems }: ExtractError): boolean =>
  code === 'ERR_CONFIG' || (code === 'ERR_FUNCTION' && problems.length > 0);
