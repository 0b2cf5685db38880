import path from 'node:path';
import type { Grants } from '../../../trust/grants.js';

/** What every program may know: where programs are, and how to write for people. */
const HARMLESS = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR)$/;
/** What a granted program needs besides, to find its settings. */
const FOR_PROGRAMS = /^(?:HOME|USER|LOGNAME|SHELL|TMPDIR|XDG_[A-Z_]+|SSH_AUTH_SOCK)$/;

/** Environment of a restricted extension: nothing but these and what is granted. Home is its own folder. */
export function sandboxEnvironment(env: NodeJS.ProcessEnv, grants: Grants): NodeJS.ProcessEnv {
  const { data } = grants.places;
  return { ...pick(env, (name) => HARMLESS.test(name)), HOME: data, TMPDIR: path.join(data, 'tmp'), ...granted(env, grants) };
}

/** Environment of a program that is run for one: the home is the user's, as the program's settings are there. */
export function programEnvironment(env: NodeJS.ProcessEnv, grants: Grants): NodeJS.ProcessEnv {
  return { ...pick(env, (name) => HARMLESS.test(name) || FOR_PROGRAMS.test(name)), ...granted(env, grants) };
}

function granted(env: NodeJS.ProcessEnv, grants: Grants): NodeJS.ProcessEnv {
  const names = new Set(grants.variables);
  return pick(env, (name) => names.has(name));
}

function pick(env: NodeJS.ProcessEnv, wanted: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== undefined && wanted(name)));
}
