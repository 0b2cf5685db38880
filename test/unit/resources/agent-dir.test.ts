import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { agentDir, expandHome } from '../../../core/resources/agent-dir.js';

it.each([
  [{ HOME: '/h' }, '/h/.pi/agent'],
  [{ HOME: '/h', PI_CODING_AGENT_DIR: '/else' }, '/else'],
  [{ HOME: '/h', PI_CODING_AGENT_DIR: '~/mine' }, '/h/mine'],
  [{ HOME: '/h', PI_CODING_AGENT_DIR: '~' }, '/h'],
  [{ HOME: '/h', PI_CODING_AGENT_DIR: 'rel/dir' }, '/work/rel/dir'],
  [{ HOME: '/h', PI_CODING_AGENT_DIR: '  ' }, '/h/.pi/agent'],
  [{}, `${homedir()}/.pi/agent`],
])('finds the agent directory from %j', (env, expected) => {
  expect(agentDir(env, '/work')).toBe(expected);
});

it('leaves the home of others and tildes elsewhere alone', () => {
  expect(['~root/x', './~', 'a~/b', ''].map((path) => expandHome(path, '/h'))).toEqual(['~root/x', './~', 'a~/b', '']);
});
