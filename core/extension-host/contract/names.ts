/** Names and numbers of what an extension may register. Source: SANDBOX "Limits". */
export const MAX_TOOLS = 256;
export const MAX_COMMANDS = 1_000;
export const MAX_FLAGS = 256;

const TOOL_NAME = /^[A-Za-z0-9_.:-]{1,64}$/;
/** What can be typed after a slash and told from its arguments. */
const COMMAND_NAME = /^[^\s\p{Cc}\p{Cf}/]{1,100}$/u;
const FLAG_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Why a name can't be had, as the end of a sentence; undefined when it can. */
export function whyNoToolName(name: string): string | undefined {
  return TOOL_NAME.test(name) ? undefined : 'letters, digits and _ . : - are allowed, 64 at most';
}

export function whyNoCommandName(name: string): string | undefined {
  if (name.startsWith('skill:')) return '/skill:… are the skills';
  return COMMAND_NAME.test(name)
    ? undefined
    : 'blanks, slashes and control characters are not allowed, nor more than 100 characters';
}

export function whyNoFlagName(name: string): string | undefined {
  return FLAG_NAME.test(name) ? undefined : 'letters, digits and _ . : - are allowed, 64 at most';
}
