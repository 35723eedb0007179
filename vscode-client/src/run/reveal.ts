/**
 * Text of a model or a tool as a person may see it: what would be invisible, or would reorder or overwrite other text,
 * stands as `\u{..}`. Nothing is left out, so that what is shown is what is there (CVE-2021-42574, CVE-2026-47090).
 */

export interface Part {
  readonly text: string;
  /** The part stands for characters that cannot be shown. */
  readonly escaped: boolean;
}

// Controls but tab and line feed; format characters (bidi, zero width, tags); lone surrogates; private use; line and
// paragraph separators; blanks that are no space; everything that renderers may ignore (Hangul fillers, selectors).
const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )[\p{Zs}\u{2800}]/gu;

// In running text the joiner and the selector between emoji are no trick; in arguments even they are shown.
const EMOJI_GLUE = /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})(?:\u{200d}|\u{fe0f})/u;

/** `text` in parts, for a view that marks the escapes. */
export function revealParts(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) {
      parts.push({ text: text.slice(from, match.index), escaped: false });
    }
    const last = parts.at(-1);
    if (last?.escaped && from === match.index) {
      parts[parts.length - 1] = { text: last.text + escapeOf(match[0]), escaped: true };
    } else {
      parts.push({ text: escapeOf(match[0]), escaped: true });
    }
    from = match.index + match[0].length;
  }
  if (from < text.length) {
    parts.push({ text: text.slice(from), escaped: false });
  }
  return parts;
}

/** `text` with every hidden character as `\u{..}`. */
export function reveal(text: string): string {
  return text.replace(HIDDEN, escapeOf);
}

/** Like `reveal`, for prose: emoji sequences, no-break spaces and `\r\n` stay. */
export function revealProse(text: string): string {
  return text.replace(HIDDEN, (character, offset: number) => {
    const isGlue = EMOJI_GLUE.test(text.slice(Math.max(0, offset - 2), offset + character.length));
    const isLineEnd = character === "\r" && text[offset + 1] === "\n";
    return isGlue || isLineEnd || character === "\u{a0}" || character === "\u{202f}" ? character : escapeOf(character);
  });
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
