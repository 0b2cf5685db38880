/** How many sub-agents are above this session: set by the one that started it. */
const VARIABLE = 'PI_SUBAGENT_DEPTH';
const DEFAULT_MAX = 2;

export interface Depth {
  /** 0 in the session a person works with. */
  current: number;
  /** Sub-agents may be this deep. */
  max: number;
}

/** `wanted`: what the flag says. What is no number counts as the default. */
export function readDepth(env: NodeJS.ProcessEnv, wanted: unknown): Depth {
  const max = typeof wanted === 'string' && /^\d+$/.test(wanted) ? Number(wanted) : DEFAULT_MAX;
  return { current: Number.parseInt(env[VARIABLE] ?? '0', 10) || 0, max };
}

export const childEnv = (env: NodeJS.ProcessEnv, { current }: Depth): NodeJS.ProcessEnv => ({
  ...env,
  [VARIABLE]: String(current + 1),
});
