/** The real APIs whose configurations `init --like` writes: the folders of examples/apis. */
export const likeNames = [
  'couchdb',
  'elasticsearch',
  'github',
  'gitlab',
  'graphql',
  'hubspot',
  'jira',
  'notion',
  'rabbitmq',
  'salesforce',
  'shopify',
  'slack',
  'stripe',
  'zendesk',
] as const;
