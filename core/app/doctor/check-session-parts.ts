import type { Diagnostic } from '../../protocol/commands/state.js';
import type { Probe } from '../ext-kit/probe.js';
import { type Finding, fail, ok, warn } from './finding.js';

const ofKinds = (diagnostics: readonly Diagnostic[], ...kinds: string[]): Diagnostic[] =>
  diagnostics.filter(({ kind, severity }) => kinds.includes(kind) && severity !== 'info');

/** What a session that was started here found; a line for each problem, or one that all is well. */
export function checkSessionParts(found: Probe, settingsFiles: readonly string[]): Finding[] {
  return [
    ...checkSettings(found.diagnostics, settingsFiles),
    ...checkModels(found),
    ...checkExtensions(found),
    ...checkTexts(found),
    ...checkRest(found),
  ];
}

function checkSettings(diagnostics: readonly Diagnostic[], files: readonly string[]): Finding[] {
  const problems = ofKinds(diagnostics, 'settings').map(({ severity, message, path: file = '', line }) => {
    const fix = `correct ${file}${line === undefined ? '' : `, line ${line}`}`;
    return severity === 'error' ? fail('settings', message, fix) : warn('settings', message, fix);
  });
  if (problems.length > 0) return problems;
  return [ok('settings', files.length === 0 ? 'no settings file: everything is as it comes' : files.join(', '))];
}

function checkModels({ diagnostics, models }: Probe): Finding[] {
  const problems = ofKinds(diagnostics, 'models', 'model', 'auth').map(({ message, path: file, line }) =>
    warn('models', message, `correct ${file ?? 'it'}${line === undefined ? '' : `, line ${line}`}`),
  );
  const providers = [...new Set(models.usable.map((name) => name.slice(0, name.indexOf('/'))))];
  const usable = `${models.usable.length} of ${models.all} can be used (${providers.join(', ')})`;
  return [
    ...problems,
    models.usable.length > 0
      ? ok('models', usable)
      : fail(
          'models',
          `None of ${models.all} models has a key`,
          'pi auth set <provider>, or set its variable (ANTHROPIC_API_KEY …); "--provider offline" needs none',
        ),
  ];
}

function checkExtensions({ extensions, diagnostics, isLate }: Probe): Finding[] {
  const mine = extensions.filter(({ source }) => source !== 'builtin');
  const broken = mine.filter(({ state }) => state !== 'ready');
  const problems = broken.map(({ path: file, reason, state }) =>
    fail('extensions', `${file} does not load: ${reason ?? state}`, `pi ext check ${file} says more; "pi config" turns it off`),
  );
  const isKnown = ({ path: file }: Diagnostic): boolean => broken.some((one) => one.path === file);
  const others = ofKinds(diagnostics, 'extension')
    .filter((one) => !isKnown(one))
    .map(({ severity, message, path: file }) => {
      const fix = file === undefined ? 'look at its settings' : `pi ext check ${file}`;
      return severity === 'error' ? fail('extensions', message, fix) : warn('extensions', message, fix);
    });
  if (isLate)
    others.push(warn('extensions', 'They were not all done loading after 30 seconds', 'pi ext check <path>, one by one'));
  if (problems.length + others.length > 0) return [...problems, ...others];
  return [ok('extensions', mine.length === 0 ? 'none' : mine.map(({ name, level }) => `${name} (${level})`).join(', '))];
}

function checkTexts({ diagnostics, commands }: Probe): Finding[] {
  const problems = ofKinds(diagnostics, 'skill', 'prompt', 'context');
  const [first] = problems;
  if (first) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    return [
      warn(
        'resources',
        `${count} of skills, prompt templates and context files: ${first.message}`,
        'get_diagnostics over rpc lists all',
      ),
    ];
  }
  const skills = commands.filter(({ source }) => source === 'skill').length;
  return [ok('resources', `${skills} skills, ${commands.length - skills} prompt templates`)];
}

/** Trust in the project, and packages: nothing is said of them when all is well. */
function checkRest({ diagnostics }: Probe): Finding[] {
  return ofKinds(diagnostics, 'trust', 'package').map(({ kind, severity, message, path: file }) => {
    const fix = file === undefined ? 'do what it says' : `look at ${file}`;
    return severity === 'error' ? fail(kind, message, fix) : warn(kind, message, fix);
  });
}
