export interface Requirement {
  /** The document of the seed protocol that says so. */
  source: 'rpc-mode' | 'json-mode';
  behaviour: string;
}

/** What the seed documents ask for that is checked against the documents' own words. A test cites the id; an uncited one fails the gate. */
export const REQUIREMENTS = {
  commands: { source: 'rpc-mode', behaviour: 'every printed command fits its schema and loses no field' },
  responses: { source: 'rpc-mode', behaviour: 'every printed response, and its data, fits its schema and loses no field' },
  events: { source: 'rpc-mode', behaviour: 'every printed event fits its schema and loses no field' },
  dialogs: { source: 'rpc-mode', behaviour: 'every printed dialog request and answer fits its schema and loses no field' },
  types: { source: 'rpc-mode', behaviour: 'every printed message and type fits its schema and loses no field' },
  header: { source: 'json-mode', behaviour: 'the printed session header fits its schema and loses no field' },
  'python-client': { source: 'rpc-mode', behaviour: 'the Python client runs as it stands' },
  'node-client': { source: 'rpc-mode', behaviour: 'the Node client runs as it stands' },
  'jq-line': { source: 'json-mode', behaviour: 'the shell line with jq prints the finished messages' },
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The name of a test or suite that proves a requirement. */
export function verifies(id: RequirementId): string {
  return `${REQUIREMENTS[id].source}: ${REQUIREMENTS[id].behaviour} [${id}]`;
}
