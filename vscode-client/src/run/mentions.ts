/** `@path` or `@path:3-9` in a prompt; a path with blanks stands in quotes. Lines count from 1, both ends included. */
export interface Mention {
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

/** What a mention stands for: text of a file, or why there is none. */
export type Attachment =
  | { readonly mention: Mention; readonly text: string; readonly language: string; readonly lines: number }
  | { readonly mention: Mention; readonly problem: string };

/** Characters of one file that go with a prompt. */
const MOST = 20_000;

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"@:,;()]+))(?::(\d+)(?:-(\d+))?)?(?=$|[\s,;.!?)])/gu;

/** The mentions of a prompt, each once. Whether there is such a file is not known here: `@alice` is one too. */
export function mentionsIn(prompt: string): Mention[] {
  const found = new Map<string, Mention>();
  for (const [raw, quoted, bare = "", from, to] of prompt.matchAll(MENTION)) {
    const path = quoted ?? bare.replace(/[.!?]+$/, "");
    const first = from === undefined ? undefined : Number(from);
    const last = to === undefined ? first : Number(to);
    found.set(raw, {
      path,
      ...(first === undefined || last === undefined ? {} : { from: Math.min(first, last), to: Math.max(first, last) }),
    });
  }
  return [...found.values()];
}

/** The text that mentions a place. */
export function mentionText({ path, from, to }: Mention): string {
  const name = /^[^\s"@:,;()]+$/u.test(path) && !/[.!?]$/.test(path) ? path : `"${path}"`;
  const lines = from === undefined ? "" : to === undefined || to === from ? `:${from}` : `:${from}-${to}`;
  return `@${name}${lines}`;
}

/** The prompt with what it mentions behind it: plain text, as the model and the transcript get it. */
export function withAttachments(prompt: string, attachments: readonly Attachment[]): string {
  return [prompt, ...attachments.map(attached)].join("\n\n");
}

function attached(attachment: Attachment): string {
  const { path, from, to } = attachment.mention;
  if ("problem" in attachment) {
    return `${path}: ${attachment.problem}`;
  }
  const place = from === undefined ? path : from === to ? `${path}, line ${from}` : `${path}, lines ${from}-${to}`;
  const isCut = attachment.text.length > MOST;
  const text = isCut ? attachment.text.slice(0, attachment.text.lastIndexOf("\n", MOST) + 1 || MOST) : attachment.text;
  const cut = isCut ? ` (the first ${text.split("\n").length - 1} of ${attachment.lines} lines)` : "";
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${place}${cut}:\n${fence}${attachment.language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** The paths that fit what was typed, best first: in the name before in the folders, at the beginning before inside. */
export function rankPaths(paths: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase();
  const ranked = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || a.path.localeCompare(b.path));
  return ranked.slice(0, most).map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (path.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  let at = 0;
  for (const character of path) {
    if (character === wanted[at]) at++;
  }
  return at === wanted.length ? 4 : undefined;
}
