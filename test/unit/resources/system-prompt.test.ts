import { describe, expect, it } from 'vitest';
import {
  buildSystemPrompt,
  createSystemPrompt,
  localDate,
  type SystemPromptParts,
  toolParts,
} from '../../../core/resources/system-prompt.js';

const tools = [
  { name: 'read', promptSnippet: 'Read a file', promptGuidelines: ['Read before you edit.'] },
  { name: 'bash', promptSnippet: 'Run a\n  command', promptGuidelines: ['Read before you edit.', 'Quote paths for bash.'] },
  { name: 'snippetless' },
];
const parts = (more: Partial<SystemPromptParts> = {}): SystemPromptParts => ({
  cwd: '/work/dir',
  date: '2026-07-31',
  skills: [],
  contextFiles: [],
  ...toolParts(tools),
  ...more,
});

describe('the default prompt', () => {
  it('lists the tools that have a snippet, one line each', () => {
    const prompt = buildSystemPrompt(parts());
    expect(prompt).toContain('Available tools:\n- read: Read a file\n- bash: Run a command\n\n');
    expect(prompt).not.toContain('snippetless');
  });

  it('gives each guideline once, and only those that fit the tools', () => {
    const prompt = buildSystemPrompt(parts());
    expect(prompt.split('Read before you edit.')).toHaveLength(2);
    expect(prompt).toContain('- Use bash');
    expect(prompt).not.toContain('Prefer edit');
    expect(buildSystemPrompt(parts(toolParts([])))).not.toMatch(/Available tools|Use bash/);
  });

  it('ends with the day and the working directory, so that its beginning can be cached', () => {
    expect(buildSystemPrompt(parts()).endsWith('\n\nCurrent date: 2026-07-31\nCurrent working directory: /work/dir')).toBe(true);
    expect(buildSystemPrompt(parts())).toBe(buildSystemPrompt(parts()));
  });

  it('has appended text, context files and skills in this order', () => {
    const prompt = buildSystemPrompt(
      parts({
        appendSystemPrompt: 'APPENDED',
        contextFiles: [{ path: '/a/AGENTS.md', content: 'RULE\n' }],
        skillsSection: 'SKILLS',
      }),
    );
    expect(prompt).toMatch(
      /Guidelines:.*APPENDED.*<context_file path="\/a\/AGENTS\.md">\nRULE\n<\/context_file>.*SKILLS.*Current date/s,
    );
  });

  it('keeps a path from breaking out of its tag', () => {
    expect(buildSystemPrompt(parts({ contextFiles: [{ path: '/a"><b>\n/AGENTS.md', content: 'x' }] }))).toContain(
      'path="/a&quot;>&lt;b>&#10;/AGENTS.md"',
    );
  });

  it('does not take members of every object for snippets', () => {
    expect(buildSystemPrompt(parts({ selectedTools: ['constructor', 'toString'] }))).not.toMatch(/constructor|toString/);
  });
});

describe('a custom prompt', () => {
  it('replaces our text and stays short, with the working directory', () => {
    const prompt = buildSystemPrompt(parts({ customPrompt: 'SYSTEM-TEXT', appendSystemPrompt: 'MORE-TEXT' }));
    expect(prompt).toBe('SYSTEM-TEXT\n\nMORE-TEXT\n\nCurrent date: 2026-07-31\nCurrent working directory: /work/dir');
  });

  it('keeps context files and skills', () => {
    const prompt = buildSystemPrompt(
      parts({ customPrompt: 'SYSTEM', contextFiles: [{ path: '/a', content: 'RULE' }], skillsSection: 'SKILLS' }),
    );
    expect(prompt).toMatch(/^SYSTEM\n.*RULE.*SKILLS/s);
    expect(prompt).not.toContain('coding assistant');
  });

  it('may be empty', () => {
    expect(buildSystemPrompt(parts({ customPrompt: '' }))).toBe('Current date: 2026-07-31\nCurrent working directory: /work/dir');
  });
});

describe('the parts beside the text', () => {
  const skill = {
    name: 's',
    description: 'd',
    filePath: '/s/SKILL.md',
    baseDir: '/s',
    sourceInfo: { path: '/s/SKILL.md', source: 'local', scope: 'user', origin: 'top-level', baseDir: '/' },
    disableModelInvocation: false,
  };

  it('are what extensions know, and no more', () => {
    const given = parts({
      skills: [skill],
      skillsSection: 'SKILLS',
      contextFiles: [{ path: '/a', content: 'RULE' }],
      customPrompt: 'X',
    });
    const { text, options } = createSystemPrompt(given);
    expect(text).toBe(buildSystemPrompt(given));
    expect(options).toEqual({
      cwd: '/work/dir',
      skills: [skill],
      contextFiles: [{ path: '/a', content: 'RULE' }],
      selectedTools: ['read', 'bash', 'snippetless'],
      toolSnippets: { read: 'Read a file', bash: 'Run a\n  command' },
      promptGuidelines: ['Read before you edit.', 'Quote paths for bash.'],
      customPrompt: 'X',
    });
  });

  it('are copies: whoever changes them changes nobody else’s', () => {
    const given = parts({ contextFiles: [{ path: '/a', content: 'RULE' }] });
    const { options } = createSystemPrompt(given);
    Object.assign(options.contextFiles[0] ?? {}, { content: 'changed' });
    expect(given.contextFiles).toEqual([{ path: '/a', content: 'RULE' }]);
  });
});

it('tells the day where the user is', () => {
  expect(localDate(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
});
