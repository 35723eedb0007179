import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

/** A folder with these files (path → text), for one test. */
export class Workspace implements Disposable {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "adal-workspace-")));

  constructor(files: Record<string, string> = {}) {
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
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
