import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

/** A folder with these files (path → text), for one test. */
export class Workspace implements Disposable {
  readonly folder: string;
  private readonly files: Readonly<Record<string, string>>;
  private readonly scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "adal-workspace-")));

  /** The window is titled with `name`. */
  constructor(files: Readonly<Record<string, string>> = {}, name = "project") {
    this.files = files;
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

  /** The text of a file; empty where there is none. */
  read(name: string): string {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf-8") : "";
  }

  /** Makes the folder what it was at first. */
  restore(): void {
    for (const name of readdirSync(this.folder, { recursive: true, encoding: "utf-8" })) {
      const isFile = statSync(this.path(name), { throwIfNoEntry: false })?.isFile();
      if (isFile && !(name in this.files)) rmSync(this.path(name));
    }
    for (const [name, text] of Object.entries(this.files)) {
      if (this.read(name) !== text) this.write(name, text);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
