import { packageFilter } from '../../resources/packages/package-filter.js';

/**
 * The list of one kind in a package's entry with one resource turned on or off; undefined for no list, which loads all. As little as
 * possible is changed, so that patterns a person wrote stay. `name` is exact, from the package's folder.
 */
export async function switchInPackage(
  list: readonly string[] | undefined,
  name: string,
  isOn: boolean,
  startsEmpty = false,
): Promise<string[] | undefined> {
  const bare = (word: string): string =>
    word
      .replace(/^[!+-]/, '')
      .replace(/^\.\//, '')
      .replace(/\/+$/, '');
  const isEmptyMeant = list !== undefined && list.length === 0;
  const left = (list ?? []).filter((word) => !(bare(word) === name && /^[+-]/.test(word)));
  const rest = isOn ? left : left.filter((word) => word.replace(/^\.\//, '') !== name);
  // Taking the last word out of a list must not turn "nothing" into "everything", nor the other way round.
  const wasNarrow = isEmptyMeant || (list ?? []).some((word) => !/^[!+-]/.test(word));
  const next = rest.length === 0 && !wasNarrow ? undefined : rest;
  if ((await packageFilter(next, startsEmpty)).lets(name) === isOn) return next;
  if (!isOn) return [...(next ?? []), `-${name}`];
  const narrow = next !== undefined && (next.length === 0 || wasNarrow);
  // `+` alone would make the rest load as well.
  const plain = [...(next ?? []), name];
  if (narrow && (await packageFilter(plain, startsEmpty)).lets(name)) return plain;
  return [...(next ?? []), `+${name}`];
}

/** The list of a settings file's own resources, where `-` turns one off. `isForced`: it is put in by `+`, as something else takes it out. */
export function switchTopLevel(list: readonly string[], word: string, isOn: boolean, isForced: boolean): string[] {
  const rest = list.filter((one) => one !== `-${word}` && one !== `+${word}`);
  if (!isOn) return [...rest, `-${word}`];
  return isForced ? [...rest, `+${word}`] : rest;
}
