import { type CallRule, fixed } from './rule.ts';

/** What sees to where a path leads, anywhere in the function. */
const guarded = /secure_filename|basename\(|\.is_relative_to\(|commonpath\(|safe_join\(|\.startswith\(|\.relative_to\(/;

const safeLoader = /(?:Safe|Base)\w*Loader/;

/** Paths from outside, and files that are more than they seem. */
export const fileCalls: readonly CallRule[] = [
  {
    calls:
      /(?<![\w.])(?:open|os\.path\.join|send_file|FileResponse|Path|pathlib\.Path|os\.(?:remove|unlink|listdir)|shutil\.\w+)/,
    judge: ({ name, args, offset }, names) => {
      const text = args.join(', ');
      if (!names.isOutside(text, offset) || guarded.test(names.functionAt(offset) || text)) return null;
      const says = `${name} takes a path from outside that may lead anywhere`;
      return { check: 'path traversal', weight: 'FAIL', says };
    },
  },
  {
    calls: /\.extractall/,
    needs: /\btarfile\b/,
    judge: ({ args }) => {
      if (args.some((arg) => /^(?:filter|members)\s*=/.test(arg))) return null;
      const says = 'an archive may hold paths that lead anywhere; pass filter="data"';
      return { check: 'path traversal', weight: 'ADVISORY', says };
    },
  },
  {
    calls: /(?<![\w.])yaml\.(?:load|load_all|unsafe_load|full_load)/,
    needs: /^[ \t]*import[^\n]*\byaml\b/m,
    judge: ({ name, args, offset }, names) => {
      const loaders = args.slice(1).map((arg) => names.resolve(arg.replace(/^Loader\s*=\s*/, ''), offset));
      if (/^yaml\.load(?:_all)?$/.test(name) && loaders.some((loader) => names.isKindOf(loader, safeLoader)))
        return null;
      const says = `${name} makes any object it is told to; use yaml.safe_load`;
      return { check: 'unsafe loading', weight: 'FAIL', says };
    },
  },
  {
    calls: /(?<![\w.])(?:(?:pickle|cPickle|marshal|dill|cloudpickle)\.loads?|jsonpickle\.decode)/,
    judge: ({ name, args, offset }, names) => {
      const text = args.join();
      if (names.isOutside(text, offset))
        return { check: 'unsafe loading', weight: 'FAIL', says: `${name} runs what comes from outside` };
      // Files are most often one's own; bytes come from somewhere.
      const given = names.resolve(args[0] ?? '', offset);
      if (!/(?:loads|decode)$/.test(name) || /dumps\(|read_bytes\(|open\(|\.read\(/.test(given) || fixed.test(given))
        return null;
      return {
        check: 'unsafe loading',
        weight: 'ADVISORY',
        says: `${name} runs whatever it is given; know who made it`,
      };
    },
  },
];
