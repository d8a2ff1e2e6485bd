/**
 * The type of the parameter that takes a configuration, chosen so that the compiler's message names the wrong key. Of a
 * variable without a type, TypeScript compares with the whole union of documents and of methods, and its message ends
 * at the last one. `ConfigurationForm` has no union on the way to a key, but
 * for jobs: one has an endpoint or a report.
 */
import type { ExactObject } from '../core/json/exact.js';
import type {
  ApiSection,
  Authentication,
  Configuration,
  DownloadJob,
  EndpointJob,
  IterationSection,
  Pagination,
  PaginationBase,
  ReportJob,
  Shared,
  Surroundings,
} from './configuration.js';

/**
 * `Configuration`, or the result of `parseDocument`; for an argument without the form of a configuration, this form.
 * The first branch is where `Given` is inferred.
 */
export type ExpectedConfiguration<Given> = [Given] extends [never]
  ? Configuration | ExactObject | Given
  : unknown extends Given
    ? Configuration | ExactObject
    : [Given] extends [Configuration | ExactObject | ConfigurationForm]
      ? Configuration | ExactObject
      : ConfigurationForm;

/** A configuration, whose pagination and authentication may have any keys. */
export interface ConfigurationForm extends Surroundings, ParametersForm {
  readonly parameters?: ParametersForm | null | undefined;
}

interface ParametersForm extends Omit<Shared, 'api'> {
  readonly api?: ApiForm | undefined;
  readonly config?: ConfigForm | undefined;
  readonly iterations?: readonly ConfigForm[] | null | undefined;
}

interface ApiForm extends Omit<ApiSection, 'pagination' | 'authentication'> {
  readonly pagination?: PaginationForm | null | undefined;
  readonly authentication?: AuthenticationForm | null | undefined;
}

interface ConfigForm extends Omit<IterationSection, 'jobs'> {
  readonly jobs?: readonly JobForm[] | null | undefined;
}

type JobForm = ReportJobForm | DownloadJobForm | EndpointJobForm;

interface EndpointJobForm extends Omit<EndpointJob, 'pagination' | 'children'>, JobParts {}

interface ReportJobForm extends Omit<ReportJob, 'pagination' | 'children'>, JobParts {}

interface DownloadJobForm extends Omit<DownloadJob, 'pagination' | 'children'>, JobParts {}

interface JobParts {
  readonly pagination?: PaginationForm | null | undefined;
  readonly children?: readonly JobForm[] | null | undefined;
}

interface PaginationForm extends PaginationBase, Open {
  readonly method: Pagination['method'];
}

interface AuthenticationForm extends Open {
  readonly type: Authentication['type'];
}

/** Has members of any names. */
interface Open {
  // biome-ignore lint/suspicious/noExplicitAny: of `unknown`, TypeScript demands that interfaces declare it too
  readonly [name: string]: any;
}
