/** The names of reference topics, apart from their content, so that the overview of the help loads fast. */

export const topicNames = [
  'configuration',
  'pagination',
  'authentication',
  'functions',
  'sinks',
  'warnings',
  'errors',
] as const;

export type TopicName = (typeof topicNames)[number];
