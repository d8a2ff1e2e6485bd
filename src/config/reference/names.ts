/** The topics of the reference by name, apart from their content, so that the overview of the help loads nothing. */

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
