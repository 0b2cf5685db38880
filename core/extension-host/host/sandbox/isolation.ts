import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Visible } from './visible-places.js';

/** Programs and libraries of the system, which Node needs: no settings, nobody's data. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/ld.so.cache', '/etc/localtime', '/etc/alternatives'];

interface Mount {
  place: string;
  isWritable: boolean;
  /** Text of a link to be made in place of a mount. */
  link?: string;
}

/** Arguments for bubblewrap up to the program: an empty file system but for what is to be seen, and no network. */
export function bubblewrapArguments(visible: Visible, cwd: string): string[] {
  const binds = mountsOf(visible).flatMap(({ place, isWritable, link }) =>
    link === undefined ? [isWritable ? '--bind' : '--ro-bind', place, place] : ['--symlink', link, place],
  );
  return [
    '--unshare-all',
    '--die-with-parent',
    ...['--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...binds,
    ...folderFor(visible, cwd).flatMap((folder) => ['--dir', folder]),
    ...['--chdir', cwd],
  ];
}

/**
 * The same with tools every Linux has: run by `unshare`, a shell makes the file system in a place of its own, moves into it, lets go of the
 * old one and of its power to mount, and becomes the program.
 */
export function unshareMountArguments(visible: Visible, cwd: string): string[] {
  const mounts = mountsOf(visible).map(({ place, isWritable, link }) =>
    link === undefined ? `${isWritable ? 'rw' : 'ro'} ${place}` : `ln ${link} ${place}`,
  );
  const folders = folderFor(visible, cwd).map((folder) => `mk ${folder}`);
  const isInUse = (root: string): boolean => [...visible.readable, ...visible.writable, cwd].some((one) => one.startsWith(root));
  const root = ROOTS.find((one) => !isInUse(one)) ?? '/mnt';
  return ['sh', '-c', SCRIPT, 'sh', [...mounts, ...folders].join('\n'), cwd, root];
}

/** Folders that every system has, and that nothing has to be seen in: the new file system is put together there. */
const ROOTS = ['/mnt', '/media', '/srv', '/opt'];

/** `$1` is a list of mounts, a line each; `$2` the folder to begin in; `$3` where to put it together; the rest is the program. */
const SCRIPT = `set -e
list=$1; cwd=$2; root=$3; shift 3
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/.old"
chmod 1777 "$root/tmp"
printf '%s\\n' "$list" | while read -r how one two; do
  case $how in
    ln) mkdir -p "$root$(dirname "$two")"; ln -s "$one" "$root$two"; continue ;;
    mk) mkdir -p "$root$one\${two:+ $two}"; continue ;;
  esac
  place=$one\${two:+ $two}
  if [ -d "$place" ]; then mkdir -p "$root$place"; elif [ ! -e "$root$place" ]; then mkdir -p "$root$(dirname "$place")"; : > "$root$place"; fi
  mount --rbind "$place" "$root$place"
  [ "$how" = rw ] || mount -o remount,bind,ro "$root$place" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev "$root$place"
done
mount -t proc proc "$root/proc"
for one in null zero full random urandom; do : > "$root/dev/$one"; mount --bind "/dev/$one" "$root/dev/$one"; done
cd "$root"
pivot_root . .old
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
umount -l /.old
rmdir /.old
cd "$cwd"
if command -v setpriv >/dev/null; then exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"; fi
exec "$@"`;

/** Outer places first: a mount hides what was mounted in its place before. */
function mountsOf({ readable, writable }: Visible): Mount[] {
  const program = realpathSync(process.execPath);
  const all: Mount[] = [
    ...SYSTEM.flatMap(systemMount),
    ...[process.execPath, program, ...readable].map((place) => ({ place, isWritable: false })),
    ...writable.map((place) => ({ place, isWritable: true })),
  ];
  const byPlace = new Map<string, Mount>();
  for (const mount of all) {
    if (mount.link === undefined && !statSync(mount.place, { throwIfNoEntry: false })) continue;
    byPlace.set(mount.place, mount);
  }
  const mounts: Mount[] = [];
  for (const mount of [...byPlace.values()].sort((a, b) => a.place.length - b.place.length)) {
    const outer = mounts.findLast(({ place }) => place === '/' || mount.place.startsWith(`${place}/`));
    // It is there already.
    if (outer && (outer.isWritable || !mount.isWritable)) continue;
    mounts.push(mount);
  }
  return mounts;
}

function systemMount(place: string): Mount[] {
  const kind = lstatSync(place, { throwIfNoEntry: false });
  if (!kind) return [];
  return [{ place, isWritable: false, ...(kind.isSymbolicLink() && !place.startsWith('/etc') && { link: readlinkSync(place) }) }];
}

/** The folder to begin in is there, and empty where nothing of it may be seen. */
function folderFor({ readable, writable }: Visible, cwd: string): string[] {
  const isSeen = [...readable, ...writable].some((place) => cwd === place || cwd.startsWith(`${place}${path.sep}`));
  return isSeen ? [] : [cwd];
}
