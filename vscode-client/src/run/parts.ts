interface Part {
  readonly text: string;
  /** Characters of the whole, as Python counts them: code points. */
  readonly total: number;
}

/** A text that comes in parts, each from an offset on. */
export async function wholeText(part: (offset: number) => Promise<Part>): Promise<string> {
  const parts: string[] = [];
  for (let offset = 0; ; ) {
    const { text, total } = await part(offset);
    parts.push(text);
    offset += [...text].length;
    if (offset >= total || text === "") {
      return parts.join("");
    }
  }
}

/** Whether what a model was told of a result is only its beginning and its end; the notice between them says so. */
export function isCut(observation: string): boolean {
  return /\n\n\[\d+ of \d+ characters left out here; the limit is \d+\]\n\n/.test(observation);
}
