import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

/** A folder with these files (path → text), for one test. */
export class Workspace implements Disposable {
  readonly folder: string;
  private readonly scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "adal-workspace-")));

  /** The window is titled with `name`. */
  constructor(files: Record<string, string> = {}, name = "project") {
    this.folder = path.join(this.scratch, name);
    mkdirSync(this.folder);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
